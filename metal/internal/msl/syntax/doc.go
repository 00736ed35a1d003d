// Package syntax parses Metal Shading Language: from the preprocessor's tokens to a tree that
// still knows templates, names and pragmas as they were written.
//
// Start here: Parse, and File.
//
// Whether a < b > (c) is a call, T * x a declaration and (T)x a cast hangs on what the names stand for. So
// the parser keeps the scopes of declared names, with Metal's own around the file, as far as it must know
// types, templates and namespaces from values. All else about names is the checker's; a name that is not
// known is no error here.
//
// Refused here by the feature's name: virtual functions, exceptions, goto, new and delete, asm,
// thread_local, dynamic_cast, typeid, structured bindings, functions declared in functions, pointers to members, user-defined literals,
// decltype(auto), variadic functions, concepts, virtual bases and
// packs of them, reference qualifiers of methods, ranges in case, declarations in the conditions of while,
// switch and for, statements within expressions, destructors called by name, bit-fields
// without a name.
package syntax
