"""Tests one_definition.py on text, and on a tree with planted collisions."""
import os
import subprocess
import tempfile
import unittest

import one_definition


def names(text):
    return [name for _, name in one_definition.definitions(text)]


class Definitions(unittest.TestCase):
    def test_types_and_functions_of_namespaces(self):
        self.assertEqual(names('''
            #define MACRO struct Hidden {
            namespace a::b {
            // struct Comment {}
            struct S { struct Inner { int x; }; void Method() { if (true) {} } };
            class [[nodiscard]] C final : public S {};
            enum class E : int { kOne };
            template <typename T> struct Box { T value; };
            template <> struct Box<int> { int value; };
            inline int F(int x, const char* y = "struct Q {") { return x; }
            int Declared(int x);
            struct Forward;
            S made{1};
            }  // namespace a::b
            namespace a { constexpr int kList[] = {1, 2}; int G() { return 1; } }
            '''), ['a::b::S', 'a::b::C', 'a::b::E', 'a::b::Box', 'a::b::Box<int>',
                   'a::b::F(intx,constchar*y="struct Q {")', 'a::G()'])

    def test_internal_linkage_and_members_do_not_count(self):
        self.assertEqual(names('''
            namespace a {
            namespace { struct Local {}; int Helper() { return 1; } }
            static int Old() { return 1; }
            int C::Method() { return 1; }
            C::C() : x_{1} {}
            bool operator==(C, C) { return true; }
            }
            int main() { return 0; }
            '''), [])


class Trees(unittest.TestCase):
    def test_planted_collisions_and_namespaces_are_found(self):
        with tempfile.TemporaryDirectory() as root:
            def write(path, text):
                os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                with open(os.path.join(root, path), 'w', encoding='utf-8') as file:
                    file.write(text)

            write('server/reader.h', 'namespace n { class Reader { int a; }; inline int Size(int x) { return x; } }')
            write('engine/reader.h', 'namespace n { class Reader { long b; }; inline int Size(int x) { return 2; } }')
            write('engine/other.h', 'namespace m { class Reader {}; }')
            write('tests/reader.h', 'namespace n { class Reader {}; }')
            write('client/flags.h', 'namespace dragoman::client::flags {}\nnamespace dragoman {\n}')
            subprocess.run(['git', 'init', '-q', root], check=True)
            self.assertEqual(one_definition.findings(root), [
                'client/flags.h opens namespace dragoman, expected dragoman::client',
                'function n::Size(intx) is defined in engine/reader.h and server/reader.h, expected one of them',
                'type n::Reader is defined in engine/reader.h and server/reader.h, expected one of them'])


if __name__ == '__main__':
    unittest.main()
