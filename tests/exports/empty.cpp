// SPDX-License-Identifier: Apache-2.0
// What the module is made of comes from the library.
