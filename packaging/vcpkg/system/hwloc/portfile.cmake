# In place of vcpkg's own port, for who has the Debian package installed.
set(VCPKG_POLICY_EMPTY_PACKAGE enabled)
