func @sum(%a: memref<8xf32>, %b: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %x = arith.constant 1.0 : f32
  %y = arith.constant 1.0 : f32
  %z = arith.addf %x, %y : f32
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %z) -> f32 {
    %v = memref.load %a[%i] : memref<8xf32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  return %r : f32
}
func private @unused() { return }
func @id(%a: f32) -> f32 { return %a : f32 }
