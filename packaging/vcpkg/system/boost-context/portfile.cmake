# SPDX-License-Identifier: Apache-2.0
# In place of vcpkg's own port, for those who have the Debian package installed.
set(VCPKG_POLICY_EMPTY_PACKAGE enabled)
