; ModuleID = 'k.c'
source_filename = "k.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@g = internal global i32 3, align 4

define dso_local i32 @sum(i32* %a, i32 %n) #0 {
entry:
  %s = alloca i32, align 4
  %i = alloca i32, align 4
  store i32 0, i32* %s, align 4
  store i32 0, i32* %i, align 4
  br label %cond

cond:
  %0 = load i32, i32* %i, align 4
  %cmp = icmp slt i32 %0, %n
  br i1 %cmp, label %body, label %done

body:
  %1 = load i32, i32* %i, align 4
  %idx = sext i32 %1 to i64
  %p = getelementptr inbounds i32, i32* %a, i64 %idx
  %v = load i32, i32* %p, align 4
  %k = load i32, i32* @g, align 4
  %m = mul nsw i32 %v, %k
  %2 = load i32, i32* %s, align 4
  %add = add nsw i32 %2, %m
  store i32 %add, i32* %s, align 4
  %3 = load i32, i32* %i, align 4
  %inc = add nsw i32 %3, 1
  store i32 %inc, i32* %i, align 4
  br label %cond

done:
  %4 = load i32, i32* %s, align 4
  ret i32 %4
}

define internal i32 @sq(i32 %x) #0 {
  %r = mul nsw i32 %x, %x
  ret i32 %r
}

define dso_local i32 @two(i32* %a, i32 %n) #1 {
  %1 = call i32 @sum(i32* %a, i32 %n)
  %2 = call i32 @sq(i32 %1)
  %3 = call i32 @sq(i32 %n)
  %4 = add nsw i32 %2, %3
  ret i32 %4
}

attributes #0 = { nounwind "frame-pointer"="all" }
attributes #1 = { nounwind uwtable }
