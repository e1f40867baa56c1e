// SPDX-License-Identifier: Apache-2.0
#include "tools/splicec/accesses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace splicec {

namespace {

// Functions of the C library that depend on nothing but their arguments, of any type.
constexpr std::array<std::string_view, 37> pure_functions = {
    "abs",   "labs",  "llabs", "fabs",  "sqrt",  "cbrt",  "hypot",   "pow",   "exp",   "exp2",
    "expm1", "log",   "log2",  "log10", "log1p", "sin",   "cos",     "tan",   "asin",  "acos",
    "atan",  "atan2", "sinh",  "cosh",  "tanh",  "floor", "ceil",    "trunc", "round", "rint",
    "fmin",  "fmax",  "fmod",  "fma",   "ldexp", "fdim",  "copysign"};

// A program may have other functions of these names.
bool is_pure(cursor callee, std::string_view name) {
  constexpr std::string_view builtin = "__builtin_";
  if (name.starts_with(builtin)) {
    name.remove_prefix(builtin.size());
    if (name == "expect" || name == "unreachable" || name == "popcount" || name == "clz" || name == "ctz") {
      return true;
    }
  } else if (clang_Location_isInSystemHeader(clang_getCursorLocation(callee)) == 0) {
    return false;
  }
  const auto known = [](std::string_view n) {
    return std::find(pure_functions.begin(), pure_functions.end(), n) != pure_functions.end();
  };
  return known(name) ||
         ((name.ends_with('f') || name.ends_with('l')) && known(name.substr(0, name.size() - 1)));
}

CXType canonical(CXType t) { return clang_getCanonicalType(t); }
CXType type_of(cursor c) { return canonical(clang_getCursorType(c)); }
bool is_array(CXType t) {
  return t.kind == CXType_ConstantArray || t.kind == CXType_IncompleteArray ||
         t.kind == CXType_VariableArray || t.kind == CXType_DependentSizedArray;
}
bool is_reference(CXType t) { return t.kind == CXType_LValueReference || t.kind == CXType_RValueReference; }
bool is_constant(CXType t) {
  while (is_array(t)) t = canonical(clang_getArrayElementType(t));
  return clang_isConstQualifiedType(t) != 0;
}

// Its value is known to the compiler, which needs no variable for it.
bool is_known_constant(cursor variable) {
  if (!is_constant(type_of(variable)) || kind_of(variable) != CXCursor_VarDecl) return false;
  const cursor initial = clang_Cursor_getVarDeclInitializer(variable);
  if (is_null(initial)) return false;
  const CXEvalResult value = clang_Cursor_Evaluate(initial);
  if (value == nullptr) return false;
  const CXEvalResultKind kind = clang_EvalResult_getKind(value);
  clang_EvalResult_dispose(value);
  return kind == CXEval_Int || kind == CXEval_Float;
}

// Copying it reads nothing but itself.
bool is_plain_data(CXType t) {
  t = canonical(t);
  while (is_array(t)) t = canonical(clang_getArrayElementType(t));
  if (is_number_or_pointer(t)) return true;
  if (t.kind != CXType_Record) return false;
  const cursor definition = clang_getCursorDefinition(clang_getTypeDeclaration(t));
  if (is_null(definition)) return false;
  for (const cursor c : children_of(definition)) {
    switch (kind_of(c)) {
      case CXCursor_FieldDecl:
        if (!is_plain_data(clang_getCursorType(c))) return false;
        break;
      case CXCursor_CXXBaseSpecifier:
      case CXCursor_Destructor: return false;
      case CXCursor_Constructor:
        if (clang_CXXConstructor_isCopyConstructor(c) != 0 && clang_CXXMethod_isDefaulted(c) == 0)
          return false;
        break;
      default: break;
    }
  }
  return true;
}

}  // namespace

bool is_number_or_pointer(CXType type) {
  const CXType t = canonical(type);
  return (t.kind >= CXType_FirstBuiltin && t.kind <= CXType_LastBuiltin && t.kind != CXType_Void) ||
         t.kind == CXType_Pointer || t.kind == CXType_Enum;
}

bool is_local(cursor variable) {
  if (kind_of(variable) == CXCursor_ParmDecl) return true;
  const CX_StorageClass storage = clang_Cursor_getStorageClass(variable);
  return clang_getCursorLinkage(variable) == CXLinkage_NoLinkage && storage != CX_SC_Static &&
         storage != CX_SC_Extern && clang_getCursorTLSKind(variable) == CXTLS_None;
}

std::string usr_of(cursor c) { return text_of(clang_getCursorUSR(clang_getCanonicalCursor(c))); }

std::string qualified_name(cursor c) {
  std::string name = text_of(clang_getCursorSpelling(c));
  for (cursor p = clang_getCursorSemanticParent(c); !is_null(p) && kind_of(p) != CXCursor_TranslationUnit;
       p = clang_getCursorSemanticParent(p)) {
    const std::string part = text_of(clang_getCursorSpelling(p));
    if (kind_of(p) == CXCursor_LinkageSpec || part.empty() || part.front() == '(') continue;
    name = fmt::format("{}::{}", part, name);
  }
  return name;
}

void touched::add(const touched& more) {
  all_unknown.insert(more.all_unknown.begin(), more.all_unknown.end());
  reads.insert(more.reads.begin(), more.reads.end());
  writes.insert(more.writes.begin(), more.writes.end());
  addressed.insert(more.addressed.begin(), more.addressed.end());
  if (more.pointed && !std::exchange(pointed, true)) pointed_at = more.pointed_at;
  if (more.unknown && !std::exchange(unknown, true)) {
    unknown_at = more.unknown_at;
    unknown_what = more.unknown_what;
  }
  read.insert(more.read.begin(), more.read.end());
  used.insert(more.used.begin(), more.used.end());
  changed.insert(more.changed.begin(), more.changed.end());
  exposed.insert(more.exposed.begin(), more.exposed.end());
}

touched accesses::of(cursor code) {
  touched t;
  walk(code, use::value, t);
  return t;
}

touched accesses::of_argument(cursor code, CXType parameter) {
  touched t;
  walk(code, is_reference(canonical(parameter)) ? use::address : use::value, t);
  return t;
}

void accesses::point(cursor at, use how, touched& t) {
  if (how == use::address || std::exchange(t.pointed, true)) return;
  t.pointed_at = all_.extent_of(at).begin;
}

void accesses::give_up_on(cursor at, std::string what, touched& t) {
  t.all_unknown.emplace(all_.extent_of(at).begin, what);
  if (std::exchange(t.unknown, true)) return;
  t.unknown_at = all_.extent_of(at).begin;
  t.unknown_what = std::move(what);
}

void accesses::walk_all(cursor c, touched& t) {
  for (const cursor child : children_of(c)) walk(child, use::value, t);
}

void accesses::walk(cursor c, use how, touched& t) {
  const CXCursorKind kind = kind_of(c);
  switch (kind) {
    case CXCursor_DeclRefExpr: {
      const cursor named = clang_getCursorReferenced(c);
      if (kind_of(named) == CXCursor_VarDecl || kind_of(named) == CXCursor_ParmDecl) {
        variable(named, c, how, t);
      } else if (kind_of(named) == CXCursor_UnexposedDecl) {
        point(c, how, t);  // a structured binding, say
      }
      return;
    }
    case CXCursor_ArraySubscriptExpr: {
      const std::vector<cursor> parts = children_of(c);
      if (parts.size() != 2) return give_up_on(c, "this", t);
      const CXTypeKind first = type_of(parts[0]).kind;
      const bool turned = first != CXType_Pointer && !is_array(type_of(parts[0]));
      walk(parts[turned ? 0 : 1], use::value, t);
      return element(c, parts[turned ? 1 : 0], how, t);
    }
    case CXCursor_UnaryOperator: {
      const std::vector<cursor> parts = children_of(c);
      if (parts.size() != 1) return walk_all(c, t);
      switch (clang_getCursorUnaryOperatorKind(c)) {
        case CXUnaryOperator_AddrOf: return walk(parts[0], use::address, t);
        case CXUnaryOperator_Deref: return element(c, parts[0], how, t);
        case CXUnaryOperator_PreInc:
        case CXUnaryOperator_PreDec:
        case CXUnaryOperator_PostInc:
        case CXUnaryOperator_PostDec: return walk(parts[0], use::write, t);
        default: return walk(parts[0], use::value, t);
      }
    }
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator: {
      const std::vector<cursor> parts = children_of(c);
      if (parts.size() != 2) return walk_all(c, t);
      const CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(c);
      const bool assigns = kind == CXCursor_CompoundAssignOperator || op == CXBinaryOperator_Assign;
      walk(parts[0], assigns ? use::write : use::value, t);
      return walk(parts[1], op == CXBinaryOperator_Comma ? how : use::value, t);
    }
    case CXCursor_ConditionalOperator: {
      const std::vector<cursor> parts = children_of(c);
      for (std::size_t i = 0; i < parts.size(); ++i) walk(parts[i], i == 0 ? use::value : how, t);
      return;
    }
    case CXCursor_MemberRefExpr: return member(c, how, t);
    case CXCursor_CallExpr: return call(c, t);
    case CXCursor_UnexposedExpr:
      // Of several parts: an atomic operation, say.
      if (children_of(c).size() > 1) {
        walk_all(c, t);
        return give_up_on(c, "this", t);
      }
      [[fallthrough]];
    case CXCursor_ParenExpr:
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXReinterpretCastExpr:
    case CXCursor_CXXConstCastExpr:
    case CXCursor_CXXFunctionalCastExpr:
      for (const cursor child : children_of(c)) {
        const bool decays = is_array(type_of(child)) && type_of(c).kind == CXType_Pointer;
        walk(child, decays ? use::address : how, t);
      }
      return;
    case CXCursor_VarDecl: return declaration(c, t);
    case CXCursor_UnaryExpr: return;  // sizeof
    case CXCursor_LambdaExpr: return give_up_on(c, "a lambda", t);
    case CXCursor_CXXNewExpr:
    case CXCursor_CXXDeleteExpr:
    case CXCursor_CXXThrowExpr:
    case CXCursor_CXXTypeidExpr:
    case CXCursor_StmtExpr:
    case CXCursor_GCCAsmStmt:
    case CXCursor_MSAsmStmt:
    case CXCursor_CXXForRangeStmt: {
      walk_all(c, t);
      return give_up_on(c, "this", t);
    }
    default: return walk_all(c, t);
  }
}

void accesses::variable(cursor of, cursor at, use how, touched& t) {
  const CXType type = type_of(of);
  const std::string name = text_of(clang_getCursorSpelling(of));
  if (is_local(of)) {
    if (is_reference(type)) {
      // What a function that is called gets by reference counts where it is called.
      if (depth_ == 0 || kind_of(of) != CXCursor_ParmDecl) point(at, how, t);
      return;
    }
    if (depth_ > 0) return;
    if (how == use::value) t.read.insert(name);
    if (is_number_or_pointer(type) && !is_known_constant(of)) t.used.insert(name);
    if (how == use::write) t.changed.insert(name);
    if (how == use::address) t.exposed.insert(name);
    return;
  }
  if (is_constant(type)) return;
  // Of an array of unknown size nothing can be said.
  if (is_reference(type) || type.kind == CXType_IncompleteArray) return point(at, how, t);
  if (clang_getCursorLinkage(of) == CXLinkage_NoLinkage) {
    return give_up_on(at, fmt::format("the static variable '{}'", name), t);
  }
  const global g{qualified_name(of), all_.in_file(of) ? all_.extent_of(of).begin : 0};
  if (how == use::write) t.writes.insert(g);
  if (how == use::address) t.addressed.insert(g);
  if (how == use::value && !steady_.contains(g)) t.reads.insert(g);
}

void accesses::element(cursor c, cursor base, use how, touched& t) {
  const cursor inner = stripped(base);
  if (is_array(type_of(inner))) return walk(inner, how, t);
  walk(base, use::value, t);
  point(c, how, t);
}

void accesses::member(cursor c, use how, touched& t) {
  const cursor named = clang_getCursorReferenced(c);
  if (kind_of(named) == CXCursor_VarDecl) return variable(named, c, how, t);
  std::vector<cursor> parts = children_of(c);
  std::erase_if(parts, [](cursor p) { return clang_isExpression(kind_of(p)) == 0; });
  const bool own = parts.empty() || kind_of(stripped(parts.front())) == CXCursor_CXXThisExpr;
  if (is_reference(type_of(named))) point(c, how, t);
  if (own) {
    // That of a function that is called counts where it is called.
    if (depth_ == 0) point(c, how, t);
    return;
  }
  if (type_of(parts.front()).kind == CXType_Pointer) {
    walk(parts.front(), use::value, t);
    return point(c, how, t);
  }
  walk(parts.front(), how, t);
}

void accesses::declaration(cursor c, touched& t) {
  if (clang_Cursor_getStorageClass(c) == CX_SC_Static || clang_Cursor_getStorageClass(c) == CX_SC_Extern)
    return;
  const bool refers = is_reference(type_of(c));
  for (const cursor child : children_of(c)) {
    if (clang_isExpression(kind_of(child)) != 0) walk(child, refers ? use::address : use::value, t);
  }
}

void accesses::arguments(cursor c, cursor callee, bool known, touched& t) {
  const int count = clang_Cursor_getNumArguments(c);
  const CXType type = clang_getCursorType(callee);
  const int parameters = is_null(callee) ? 0 : clang_getNumArgTypes(type);
  const bool method = kind_of(callee) == CXCursor_CXXMethod || kind_of(callee) == CXCursor_ConversionFunction;
  // An operator that is a member has its object among its arguments.
  const int shift = method && count == parameters + 1 ? 1 : 0;
  for (int i = 0; i < count; ++i) {
    const cursor argument = clang_Cursor_getArgument(c, static_cast<unsigned>(i));
    use how = use::value;
    if (i < shift) {
      how = clang_CXXMethod_isConst(callee) != 0 ? use::value : use::write;
    } else if (i - shift < parameters) {
      const CXType parameter = canonical(clang_getArgType(type, static_cast<unsigned>(i - shift)));
      if (is_reference(parameter)) {
        const bool constant = is_constant(canonical(clang_getPointeeType(parameter)));
        how = !known ? use::address : constant ? use::value : use::write;
      }
    }
    walk(argument, how, t);
  }
  if (!method || shift == 1) return;
  const std::vector<cursor> parts = children_of(c);
  if (parts.empty() || kind_of(parts.front()) != CXCursor_MemberRefExpr) return;
  for (const cursor object : children_of(parts.front())) {
    if (clang_isExpression(kind_of(object)) == 0 || kind_of(stripped(object)) == CXCursor_CXXThisExpr)
      continue;
    if (type_of(object).kind == CXType_Pointer) {
      walk(object, use::value, t);
      point(object, use::value, t);
    } else {
      walk(object, clang_CXXMethod_isConst(callee) != 0 ? use::value : use::write, t);
    }
  }
}

void accesses::call(cursor c, touched& t) {
  const cursor callee = clang_getCursorReferenced(c);
  const CXCursorKind kind = kind_of(callee);
  if (is_null(callee) || kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl ||
      kind == CXCursor_FieldDecl) {
    walk_all(c, t);
    return give_up_on(c, "a call through a pointer", t);
  }
  const std::string name = text_of(clang_getCursorSpelling(callee));
  if (spliced_(callee)) {
    const CXType type = clang_getCursorType(callee);
    for (int i = 0; i < clang_Cursor_getNumArguments(c); ++i) {
      t.add(of_argument(clang_Cursor_getArgument(c, static_cast<unsigned>(i)),
                        clang_getArgType(type, static_cast<unsigned>(i))));
    }
    if (depth_ > 0) give_up_on(c, fmt::format("the call of '{}'", name), t);
    return;
  }
  if (kind == CXCursor_Constructor && is_plain_data(clang_getCursorType(c)) &&
      (clang_CXXMethod_isDefaulted(callee) != 0 || is_null(clang_getCursorDefinition(callee)))) {
    return arguments(c, callee, true, t);
  }
  const cursor definition = clang_getCursorDefinition(callee);
  if (is_null(definition)) {
    const bool pure = is_pure(callee, name);
    arguments(c, callee, pure, t);
    if (!pure) give_up_on(c, fmt::format("the call of '{}'", name), t);
    return;
  }
  const bool changeable = clang_CXXMethod_isVirtual(callee) != 0;
  const touched& inside = summary(definition);
  const bool known = !changeable && !inside.unknown;
  arguments(c, callee, known, t);
  if (!known) return give_up_on(c, fmt::format("the call of '{}'", name), t);
  if (inside.pointed) point(c, use::value, t);
  touched rest = inside;
  rest.pointed = false;
  t.add(rest);
}

const touched& accesses::summary(cursor definition) {
  const std::string usr = usr_of(definition);
  const auto [at, fresh] = summaries_.try_emplace(usr);
  if (!fresh) {
    // Of a function that calls itself the rest counts anyway; of those that call one another it might not.
    static const touched anything{.unknown = true};
    const bool under_way = std::find(under_way_.begin(), under_way_.end(), usr) != under_way_.end();
    return under_way && under_way_.back() != usr ? anything : at->second;
  }
  under_way_.push_back(usr);
  touched t;
  ++depth_;
  for (const cursor child : children_of(definition)) {
    if (clang_isStatement(kind_of(child)) != 0 || clang_isExpression(kind_of(child)) != 0)
      walk(child, use::value, t);
  }
  --depth_;
  under_way_.pop_back();
  t.read.clear();
  t.used.clear();
  t.changed.clear();
  t.exposed.clear();
  return at->second = std::move(t);
}

}  // namespace splicec
