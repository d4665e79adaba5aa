; Shapes that clang rarely makes: phis after an invoke, naked and available_externally functions,
; no debug information, no return value, a device module.
; SPDX-License-Identifier: Apache-2.0
; RUN: %clang %passplugin %verify -O0 -S -emit-llvm -fno-discard-value-names -o - %s | %FileCheck %s
; RUN: %clang %passplugin %verify -O0 -emit-llvm -c -o %t.bc %s
; RUN: %clang %passplugin %verify -O0 -S -emit-llvm -x ir -o %t.again.ll %t.bc
; RUN: %FileCheck --check-prefix=AGAIN %s < %t.again.ll
; RUN: %clang %passplugin %verify -O3 -S -emit-llvm -o - %s | %FileCheck --check-prefix=O3 %s
; RUN: sed 's/x86_64-unknown-linux-gnu/nvptx64-nvidia-cuda/;/datalayout/d' %s > %t.device.ll
; RUN: %clang --target=nvptx64-nvidia-cuda -nogpulib %passplugin -S -emit-llvm -Xclang -disable-llvm-verifier -o - %t.device.ll | %FileCheck --check-prefix=DEVICE %s
; DEVICE-NOT: gpuinstr_sites
; AGAIN: @__gpuinstr_sites =
; AGAIN-NOT: @__gpuinstr_sites.1
; AGAIN-NOT: i32 0, ptr @__gpuinstr_ctor{{.*}}i32 0, ptr @__gpuinstr_ctor
; O3: @__gpuinstr_sites
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @cudaFree(ptr)
declare i32 @cudaMemset(ptr, i32, i64)
declare i32 @__gxx_personality_v0(...)

; The edge of the invoke gets a block of its own, and the phi names it.
; CHECK-LABEL: define i32 @phi(
; CHECK: [[R:%.*]] = invoke i32 @cudaFree(ptr %p)
; CHECK-NEXT: to label %[[LEAVE:.*]] unwind label %pad
; CHECK: [[LEAVE]]:
; CHECK: sext i32 [[R]] to i64
; CHECK: br label %join
; CHECK: phi i32 [ 0, %entry ], [ [[R]], %[[LEAVE]] ]
define i32 @phi(ptr %p, i1 %c) personality ptr @__gxx_personality_v0 {
entry:
  br i1 %c, label %do, label %join
do:
  %r = invoke i32 @cudaFree(ptr %p) to label %join unwind label %pad
pad:
  %l = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %l
join:
  %v = phi i32 [ 0, %entry ], [ %r, %do ]
  ret i32 %v
}

; One frame for all sites of a function, also when the first is not in the entry block.
; CHECK-LABEL: define void @loop(
; CHECK: alloca [264 x i8]
; CHECK-NOT: alloca
; CHECK: ret void
define void @loop(ptr %p) {
entry:
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %n, %body ]
  %a = call i32 @cudaMemset(ptr %p, i32 -1, i64 8)
  %b = call i32 @cudaFree(ptr %p)
  %n = add i32 %i, 1
  %c = icmp eq i32 %n, 10
  br i1 %c, label %end, label %body
end:
  ret void
}

; CHECK-LABEL: define available_externally i32 @copy(
; CHECK-NEXT: call i32 @cudaFree
; CHECK-NEXT: ret
define available_externally i32 @copy(ptr %p) {
  %r = call i32 @cudaFree(ptr %p)
  ret i32 %r
}

; CHECK-LABEL: define void @bare(
; CHECK-NEXT: call i32 @cudaFree
; CHECK-NEXT: unreachable
define void @bare() naked {
  %r = call i32 @cudaFree(ptr null)
  unreachable
}

; A call that never returns is only counted.
; CHECK-LABEL: define void @final(
; CHECK-NOT: alloca
; CHECK: call void %{{.*}}(ptr {{.*}}@__gpuinstr_site{{(\.[0-9]+)?}})
; CHECK-NEXT: call i32 @cudaFree
define void @final(ptr %p) {
  %r = call i32 @cudaFree(ptr %p) noreturn
  unreachable
}
