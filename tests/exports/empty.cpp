// What the module is made of comes from the library.
