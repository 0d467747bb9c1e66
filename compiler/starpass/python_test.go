package starpass_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/starpass"
)

// TestStatements runs the statements of Python that Starlark does not have.
func TestStatements(t *testing.T) {
	prints(t, `
import os, numpy as np
from __future__ import annotations
from tvm import relax as rx, tir
import tvm.relax.transform as T
from typing import List

x: int = 3
y: List[int]
a = b = [1, *range(2, 4), 4]
a[0] += 1
print(x, a is b, a is not b, x is None, 1 < x < 4, 1 < x == 4, {1, 2} == set([2, 1]), {"k": 0, **{"k": 1}}, (*a, 5))
print(f"{x}{{}}{x!r:>4}|{'s'!r}|{3.14159:.2f}|{x=}|{1234567:,}|{'ab':^6}|{-5:05d}|{x:{x}}" "-" r'\n', 2 ** 10, 2.0 ** -1)
print(any(i > 3 for i in a), len([i for i in a if i] or (0 for i in a)), "one" "two", isinstance(x, int), isinstance("", (int, str)))
d = {1: 2, 3: 4}
del d[1]
assert d == {3: 4}, "no"
print(d, T.FoldConstant().info.name, rx.Call, tir.Add(1, 2), type(None), __name__ == "__main__")
def f(a: int, b: str = "s", *args, c=1, **kw) -> int:
    """Doc."""
    ...
    return a
print(f(1), callable(f), callable(1))
@tvm.transform.module_pass(opt_level=1)
def keep(mod, ctx): return mod
print(keep)
def counter():
    n = 0
    def up():
        nonlocal n
        n += 1
        return n
    return up
up = counter()
up()
print(up(), counter()())
`, `3 True False False True False True {"k": 1} (2, 2, 3, 4, 5)
3{}   3|"s"|3.14|x=3|1,234,567|  ab  |-0005|  3-\n 1024 0.5
True 4 onetwo True True
{3: 4} FoldConstant <type Call> T.Add(1, 2) NoneType True
1 True False
PassInfo(name="keep", opt_level=1, required=[], kind=module)
2 1`)
	refuses(t, "import numpy as np\nnp.zeros(1)", "t.star:2:1: numpy is not available: scripts have the modules of TVM")
	refuses(t, "from tvm.relax import transfrom", "tvm.relax has no transfrom here; did you mean transform?")
	refuses(t, "from tvm.contrib import cutlass\ncutlass.f()", "tvm.contrib.cutlass is not available")
	refuses(t, "def f():\n    global x\n", "t.star:2:5: global is not available")
	refuses(t, "def f():\n    nonlocal x\n", "t.star:2:14: nonlocal x: no function around")
	refuses(t, "x = [\n  f'{a b}']", "t.star:2:8: expected the end of the field")
	refuses(t, "print(f'{undefined_name}')", "t.star:1:10: undefined: undefined_name")
	refuses(t, "assert 1 == 2, 'not ' + 'equal'", "AssertionError: not equal")
	refuses(t, "for i in range(3): pass\nelse: pass", "for with else is not available")
	refuses(t, "return 1", "t.star:1:1: return stands outside of a function")
	refuses(t, "def f():\n    yield 1", "yield is not available")
	refuses(t, "if (x := 1): pass", "assignments inside expressions")
	refuses(t, "2 ** 100000000", "is beyond the limit")
	refuses(t, "f'{1:2000}'", "a width or precision of more than 1000")
}

func TestTry(t *testing.T) {
	prints(t, `
def f(kind):
    out = []
    n = 0
    for i in range(3):
        try:
            n += 1
            if kind == "continue": continue
            if kind == "break": break
            if kind == "return": return [n, out]
            if kind == "key": {}["x"]
            if kind == "index": [][0]
            if kind == "attr": "".nothing
            if kind == "zero": 1 // 0
            if kind == "value": raise ValueError("v", 1)
            if kind == "own": raise Own("o")
            if kind == "class": raise RuntimeError
            out.append("ok")
        except KeyError as e:
            out.append(e)
        except (IndexError, AttributeError) as e:
            out.append(type(e))
        except Own as e:
            out.append(str(e) + e.extra)
            try:
                raise
            except Exception as again:
                out.append(again is e)
        except Exception as e:
            out.append(f"{type(e)}: {e}")
        else:
            out.append("else")
        finally:
            out.append("finally")
    return n, out

class Own(ValueError):
    def __init__(self, text):
        super().__init__(text)
        self.extra = "!"

for kind in ["", "continue", "break", "return", "key", "index", "attr", "zero", "value", "own", "class"]:
    r = f(kind)
    print(kind, r[0], [str(x) for x in r[1]][:3])

total = 0
for i in range(4):
    try:
        total += i
        if i == 2: fail("two")
    except:
        total += 100
print(total)
def look(): return total
print(look())
def nested():
    x = 1
    try:
        try:
            x = 2
            raise KeyError("k")
        finally:
            x += 1
    except KeyError as e:
        return [x, str(e), [x for x in range(2)], (lambda x: x)(7)]
print(nested())
def finals():
    try: return "body"
    finally: print("cleaned")
print(finals())
`, `
 3 ["ok", "else", "finally"]
continue 3 ["finally", "finally", "finally"]
break 1 ["finally"]
return 1 ["finally"]
key 3 ["key \"x\" not in dict", "finally", "key \"x\" not in dict"]
index 3 ["IndexError", "finally", "IndexError"]
attr 3 ["AttributeError", "finally", "AttributeError"]
zero 3 ["ZeroDivisionError: floored division by zero", "finally", "ZeroDivisionError: floored division by zero"]
value 3 ["ValueError: (\"v\", 1)", "finally", "ValueError: (\"v\", 1)"]
own 3 ["o!", "True", "finally"]
class 3 ["RuntimeError: ", "finally", "RuntimeError: "]
106
106
[3, "k", [0, 1], 7]
cleaned
body`)
	refuses(t, "raise ValueError('bad thing')", "ValueError: bad thing")
	refuses(t, "def f():\n    try:\n        x = 1 + ''\n    except KeyError: pass\nf()", "t.star:3:15: unknown binary op: int + string")
	refuses(t, "raise 3", "raise: expected an exception, got a value of type int")
	refuses(t, "raise", "no error is being handled")
	refuses(t, "def f():\n    try:\n        pass\n    finally: y\n    print(zz)\n    try: zz = 1\n    except: pass\ndef y(): pass\nf()", "variable zz referenced before assignment")
	// What a limit ends cannot go on.
	for _, source := range []string{
		"try:\n    while True: pass\nexcept: print('caught')", "while True:\n    try: 'x' * (1 << 40)\n    except: pass",
		"def f():\n    try: f()\n    except: f()\nf()",
	} {
		_, out, err := run(t, source, nil, starpass.Limits{Steps: 200_000})
		if err == nil || out != "" {
			t.Errorf("%q: error %v, printed %q", source, err, out)
		}
	}
}

func TestClasses(t *testing.T) {
	prints(t, `
class A:
    """A doc."""
    kind = "a"
    count: int = 0
    def __init__(self, x, y=2):
        self.x, self.y = x, y
        self.list = []
    def both(self):
        self.x += 1
        self.list += [self.x]
        return self.x + self.y
    @staticmethod
    def make(x): return A(x, 0)
    @classmethod
    def named(cls): return cls.__name__
    @property
    def twice(self): return 2 * self.x
    def __call__(self, n): return n + self.x
    def __enter__(self):
        print("enter")
        return self
    def __exit__(self, kind, value, trace): print("exit", kind)

class B(A):
    kind = "b"
    def both(self):
        def inner(): return super().both()
        return -inner()

a, b = A(1), B(x=5)
print(a.both(), a.list, b.both(), b.both(), a.kind, b.kind, A.kind, A.make(7).x, B.named(), b.twice, a(10))
print(isinstance(b, A), isinstance(a, B), type(b), A.__doc__ if False else "", b.__class__ is B, a == a, a == b)
print(A.both(b), getattr(b, "kind"), hasattr(b, "nothing"), {a: 1}[a])
def use(stop):
    with a as c, B(1):
        if stop: return "early"
        print(c is a)
    return "late"
print(use(False), use(True))
try:
    with A(0): raise ValueError("x")
except ValueError as e: print("caught", e)
for i in range(2):
    with A(0):
        continue
`, `4 [2] -8 -9 a b a 7 B 14 12
True False B  True True False
10 b False 1
enter
enter
True
exit None
exit None
enter
enter
exit None
exit None
late early
enter
exit <class ValueError>
caught x
enter
exit None
enter
exit None`)
	refuses(t, "class A:\n    pass\nA(1)", "A takes no arguments: it has no __init__")
	refuses(t, "class A:\n    pass\nA().x", "A has no .x field or method")
	refuses(t, "class A:\n    for x in y: pass", "t.star:2:5: a class holds methods and attributes")
	refuses(t, "class A(1): pass", "class A: a base must be a class")
	refuses(t, "def f(): return super().x", "super() stands outside of a method")
	refuses(t, "with 1: pass", "a value of type int cannot be entered")
}
