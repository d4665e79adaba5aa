; What the plugin of 2026-11-22 made of program.cpp at -O1: a list of descriptors. What the program does not reach is hollowed out.
; SPDX-License-Identifier: Apache-2.0
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
%struct.gpuinstr_table = type { i32, i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr }
%struct.timespec = type { i64, i64 }
$__gpuinstr_lazy_enter = comdat any
$__gpuinstr_nothing = comdat any
$__gpuinstr_lazy_count = comdat any
$__gpuinstr_no_leaks = comdat any
$__gpuinstr_load = comdat any
$__gpuinstr_complain = comdat any
$__gpuinstr_register = comdat any
$__gpuinstr_unregister = comdat any
$__gpuinstr_callers = comdat any
$__gpuinstr_state = comdat any
$__gpuinstr_connecting = comdat any
$__gpuinstr_runtime_path = comdat any
$__gpuinstr_table_v1 = comdat any
@_ZZ4mainE4text = internal global [4096 x i8] zeroinitializer, align 16
@.str = private unnamed_addr constant [11 x i8] c"result %d\0A\00", align 1
@__gpuinstr_site = internal global { { i32, i32, i16, i16, i32, i16, i16, i32, i32, i32, i64, i64, ptr, ptr, ptr, ptr, ptr, ptr, ptr }, [2 x ptr] } { { i32, i32, i16, i16, i32, i16, i16, i32, i32, i32, i64, i64, ptr, ptr, ptr, ptr, ptr, ptr, ptr } { i32 104, i32 0, i16 4, i16 1, i32 2, i16 0, i16 2, i32 5, i32 11, i32 15, i64 -9114366912894077698, i64 0, ptr @__gpuinstr_text.2, ptr @__gpuinstr_text.3, ptr @__gpuinstr_text.4, ptr @__gpuinstr_text.5, ptr @__gpuinstr_text.6, ptr @__gpuinstr_text.7, ptr getelementptr inbounds (i8, ptr @__gpuinstr_site, i64 104) }, [2 x ptr] [ptr @__gpuinstr_text, ptr @__gpuinstr_text.1] }, section ".data.gpuinstr", no_sanitize_address, no_sanitize_hwaddress, align 8
@__gpuinstr_text = private unnamed_addr constant [8 x i8] c"&d_lost\00", align 1
@__gpuinstr_text.1 = private unnamed_addr constant [12 x i8] c"sizeof text\00", align 1
@__gpuinstr_text.2 = private unnamed_addr constant [9 x i8] c"prog.cpp\00", align 1
@__gpuinstr_text.3 = private unnamed_addr constant [5 x i8] c"main\00", align 1
@__gpuinstr_text.4 = private unnamed_addr constant [11 x i8] c"cudaMalloc\00", align 1
@__gpuinstr_text.5 = private unnamed_addr constant [7 x i8] c"d_lost\00", align 1
@__gpuinstr_text.6 = private unnamed_addr constant [5 x i8] c"void\00", align 1
@__gpuinstr_text.7 = private unnamed_addr constant [1 x i8] zeroinitializer, align 1
@__gpuinstr_site.8 = internal global { { i32, i32, i16, i16, i32, i16, i16, i32, i32, i32, i64, i64, ptr, ptr, ptr, ptr, ptr, ptr, ptr }, [3 x ptr] } { { i32, i32, i16, i16, i32, i16, i16, i32, i32, i32, i64, i64, ptr, ptr, ptr, ptr, ptr, ptr, ptr } { i32 104, i32 0, i16 0, i16 0, i32 0, i16 0, i16 3, i32 0, i32 12, i32 38, i64 3537141084537168805, i64 -1641166401574357820, ptr @__gpuinstr_text.2, ptr @__gpuinstr_text.3, ptr @__gpuinstr_text.10, ptr @__gpuinstr_text.7, ptr @__gpuinstr_text.7, ptr @__gpuinstr_text.7, ptr getelementptr inbounds (i8, ptr @__gpuinstr_site.8, i64 104) }, [3 x ptr] [ptr @__gpuinstr_text.5, ptr @__gpuinstr_text.9, ptr @__gpuinstr_text.1] }, section ".data.gpuinstr", no_sanitize_address, no_sanitize_hwaddress, align 8
@__gpuinstr_text.9 = private unnamed_addr constant [5 x i8] c"text\00", align 1
@__gpuinstr_text.10 = private unnamed_addr constant [5 x i8] c"fill\00", align 1
@__gpuinstr_site.11 = internal global { { i32, i32, i16, i16, i32, i16, i16, i32, i32, i32, i64, i64, ptr, ptr, ptr, ptr, ptr, ptr, ptr }, [4 x ptr] } { { i32, i32, i16, i16, i32, i16, i16, i32, i32, i32, i64, i64, ptr, ptr, ptr, ptr, ptr, ptr, ptr } { i32 104, i32 0, i16 8, i16 0, i32 2, i16 0, i16 4, i32 23, i32 5, i32 10, i64 -2988441697985663925, i64 0, ptr @__gpuinstr_text.2, ptr @__gpuinstr_text.10, ptr @__gpuinstr_text.16, ptr @__gpuinstr_text.12, ptr @__gpuinstr_text.6, ptr @__gpuinstr_text.7, ptr getelementptr inbounds (i8, ptr @__gpuinstr_site.11, i64 104) }, [4 x ptr] [ptr @__gpuinstr_text.12, ptr @__gpuinstr_text.13, ptr @__gpuinstr_text.14, ptr @__gpuinstr_text.15] }, section ".data.gpuinstr", no_sanitize_address, no_sanitize_hwaddress, align 8
@__gpuinstr_text.12 = private unnamed_addr constant [3 x i8] c"to\00", align 1
@__gpuinstr_text.13 = private unnamed_addr constant [5 x i8] c"from\00", align 1
@__gpuinstr_text.14 = private unnamed_addr constant [6 x i8] c"bytes\00", align 1
@__gpuinstr_text.15 = private unnamed_addr constant [23 x i8] c"cudaMemcpyHostToDevice\00", align 1
@__gpuinstr_text.16 = private unnamed_addr constant [11 x i8] c"cudaMemcpy\00", align 1
@__gpuinstr_callers = linkonce_odr thread_local local_unnamed_addr global [4 x ptr] zeroinitializer, comdat, align 8
@__gpuinstr_module = internal global { i32, i32, i32, i32, i32, i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i32, i32 } { i32 96, i32 1, i32 0, i32 0, i32 0, i32 0, ptr null, ptr null, ptr null, ptr @__gpuinstr_text.2, ptr @__gpuinstr_text.17, ptr @__gpuinstr_text.7, ptr @__gpuinstr_module, ptr @__gpuinstr_sites, i32 3, i32 0 }, align 8
@__gpuinstr_text.17 = private unnamed_addr constant [28 x i8] c"gpuinstr 0.1.0 clang 22.1.8\00", align 1
@__gpuinstr_sites = private constant [3 x ptr] [ptr @__gpuinstr_site, ptr @__gpuinstr_site.8, ptr @__gpuinstr_site.11]
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 0, ptr @__gpuinstr_ctor, ptr null }]
@llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 0, ptr @__gpuinstr_dtor, ptr null }]
@__gpuinstr_state = linkonce_odr hidden global i32 0, comdat, align 4
@__gpuinstr_connecting = linkonce_odr hidden thread_local local_unnamed_addr global i32 0, comdat, align 4
@.str.3 = private unnamed_addr constant [30 x i8] c"a static program cannot load \00", align 1
@.str.4 = private unnamed_addr constant [18 x i8] c"libgpuinstr_rt.so\00", align 1
@.str.5 = private unnamed_addr constant [17 x i8] c"GPUINSTR_RUNTIME\00", align 1
@__gpuinstr_runtime_path = linkonce_odr hidden constant [1 x i8] zeroinitializer, comdat
@.str.6 = private unnamed_addr constant [25 x i8] c"cannot load the runtime \00", align 1
@.str.7 = private unnamed_addr constant [17 x i8] c"gpuinstr_connect\00", align 1
@.str.8 = private unnamed_addr constant [33 x i8] c"another version of the runtime: \00", align 1
@__gpuinstr_table_v1 = linkonce_odr hidden local_unnamed_addr global %struct.gpuinstr_table { i32 160, i32 1, ptr @__gpuinstr_lazy_enter, ptr @__gpuinstr_nothing, ptr @__gpuinstr_lazy_count, ptr @__gpuinstr_nothing, ptr @__gpuinstr_nothing, ptr @__gpuinstr_nothing, ptr @__gpuinstr_nothing, ptr @__gpuinstr_nothing, ptr @__gpuinstr_nothing, ptr @__gpuinstr_nothing, ptr @__gpuinstr_nothing, ptr @__gpuinstr_nothing, ptr @__gpuinstr_nothing, ptr @__gpuinstr_no_leaks, ptr @__gpuinstr_nothing, ptr @__gpuinstr_nothing, ptr @__gpuinstr_nothing, ptr @__gpuinstr_nothing, ptr @__gpuinstr_nothing }, comdat, align 8
define dso_local noundef i32 @main() local_unnamed_addr {
  %1 = alloca [264 x i8], align 8
  %2 = alloca ptr, align 8
  %3 = tail call align 8 ptr @llvm.threadlocal.address.p0(ptr align 8 @__gpuinstr_callers)
  %4 = load ptr, ptr %3, align 8
  %5 = icmp eq ptr %4, null
  %6 = select i1 %5, ptr @__gpuinstr_site, ptr %4
  %7 = getelementptr inbounds nuw i8, ptr %6, i64 40
  %8 = load i64, ptr %7, align 8
  %9 = icmp eq i64 %8, 5322843316632772325
  %10 = icmp eq i64 %8, 0
  %11 = or i1 %10, %9
  %12 = select i1 %11, ptr %4, ptr null
  %13 = getelementptr inbounds nuw i8, ptr %1, i64 8
  store ptr %12, ptr %13, align 8
  %14 = getelementptr inbounds nuw i8, ptr %1, i64 16
  store ptr null, ptr %14, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %2)
  store ptr null, ptr %2, align 8
  store ptr @__gpuinstr_site, ptr %1, align 8
  %15 = ptrtoint ptr %2 to i64
  %16 = getelementptr inbounds nuw i8, ptr %1, i64 40
  store i64 %15, ptr %16, align 8
  %17 = getelementptr inbounds nuw i8, ptr %1, i64 56
  store i64 4096, ptr %17, align 8
  %18 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @__gpuinstr_table_v1, i64 8), align 8
  call void %18(ptr nonnull %1)
  %19 = call i32 @cudaMalloc(ptr noundef nonnull %2, i64 noundef 4096)
  %20 = sext i32 %19 to i64
  %21 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @__gpuinstr_table_v1, i64 16), align 8
  call void %21(ptr nonnull %1, i64 %20)
  %22 = load ptr, ptr %2, align 8
  store ptr @__gpuinstr_site.8, ptr %3, align 8
  %23 = getelementptr inbounds nuw i8, ptr %3, i64 8
  store ptr null, ptr %23, align 8
  %24 = call fastcc noundef i32 @_ZL4fillPvPKcm(ptr noundef %22)
  store ptr %4, ptr %3, align 8
  %25 = or i32 %24, %19
  %26 = call i32 (ptr, ...) @printf(ptr noundef nonnull dereferenceable(1) @.str, i32 noundef %25)
  call void @llvm.lifetime.end.p0(ptr nonnull %2)
  ret i32 0
}
declare void @llvm.lifetime.start.p0(ptr captures(none))
declare i32 @cudaMalloc(ptr noundef, i64 noundef) local_unnamed_addr
declare noundef i32 @printf(ptr noundef readonly captures(none), ...) local_unnamed_addr
define internal fastcc noundef i32 @_ZL4fillPvPKcm(ptr noundef %0) unnamed_addr {
  %2 = alloca [264 x i8], align 8
  %3 = tail call align 8 ptr @llvm.threadlocal.address.p0(ptr align 8 @__gpuinstr_callers)
  %4 = load ptr, ptr %3, align 8
  %5 = icmp eq ptr %4, null
  %6 = select i1 %5, ptr @__gpuinstr_site, ptr %4
  %7 = getelementptr inbounds nuw i8, ptr %6, i64 40
  %8 = load i64, ptr %7, align 8
  %9 = icmp eq i64 %8, -1641166401574357820
  %10 = icmp eq i64 %8, 0
  %11 = or i1 %10, %9
  %12 = select i1 %11, ptr %4, ptr null
  %13 = getelementptr inbounds nuw i8, ptr %2, i64 8
  store ptr %12, ptr %13, align 8
  %14 = getelementptr inbounds nuw i8, ptr %2, i64 16
  store ptr null, ptr %14, align 8
  store ptr @__gpuinstr_site.11, ptr %2, align 8
  %15 = ptrtoint ptr %0 to i64
  %16 = getelementptr inbounds nuw i8, ptr %2, i64 40
  store i64 %15, ptr %16, align 8
  %17 = getelementptr inbounds nuw i8, ptr %2, i64 48
  store i64 ptrtoint (ptr @_ZZ4mainE4text to i64), ptr %17, align 8
  %18 = getelementptr inbounds nuw i8, ptr %2, i64 56
  store i64 4096, ptr %18, align 8
  %19 = getelementptr inbounds nuw i8, ptr %2, i64 72
  store i64 1, ptr %19, align 8
  %20 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @__gpuinstr_table_v1, i64 8), align 8
  call void %20(ptr nonnull %2)
  %21 = call i32 @cudaMemcpy(ptr noundef %0, ptr noundef nonnull @_ZZ4mainE4text, i64 noundef 4096, i32 noundef 1)
  %22 = sext i32 %21 to i64
  %23 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @__gpuinstr_table_v1, i64 16), align 8
  call void %23(ptr nonnull %2, i64 %22)
  ret i32 %21
}
declare void @llvm.lifetime.end.p0(ptr captures(none))
declare i32 @cudaMemcpy(ptr noundef, ptr noundef, i64 noundef, i32 noundef) local_unnamed_addr
declare nonnull ptr @llvm.threadlocal.address.p0(ptr nonnull)
define internal void @__gpuinstr_ctor() {
  tail call void @__gpuinstr_register(ptr nonnull @__gpuinstr_module)
  ret void
}
define internal void @__gpuinstr_dtor() {
  tail call void @__gpuinstr_unregister(ptr nonnull @__gpuinstr_module)
  ret void
}
define linkonce_odr hidden void @__gpuinstr_lazy_enter(ptr noundef %0) comdat {
  ret void
}
define linkonce_odr hidden noundef i64 @__gpuinstr_nothing() comdat {
  ret i64 0
}
define linkonce_odr hidden void @__gpuinstr_lazy_count(ptr noundef %0) comdat {
  ret void
}
define linkonce_odr hidden noundef i64 @__gpuinstr_no_leaks(i64 %0, ptr noundef writeonly captures(address_is_null) %1) comdat {
  %3 = icmp eq ptr %1, null
  br i1 %3, label %5, label %4
4:
  store i64 0, ptr %1, align 8
  br label %5
5:
  ret i64 0
}
define linkonce_odr hidden ptr @__gpuinstr_load() local_unnamed_addr comdat {
  %1 = alloca %struct.timespec, align 8
  %2 = icmp ne ptr @dlopen, null
  %3 = icmp ne ptr @dlsym, null
  %4 = and i1 %2, %3
  br i1 %4, label %6, label %5
5:
  tail call void @__gpuinstr_complain(ptr noundef nonnull @.str.3, ptr noundef nonnull @.str.4)
  br label %49
6:
  call void @llvm.lifetime.start.p0(ptr nonnull %1)
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %1, i8 0, i64 16, i1 false)
  %7 = icmp eq ptr @clock_gettime, null
  br i1 %7, label %10, label %8
8:
  %9 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %1)
  br label %10
10:
  %11 = call ptr @getenv(ptr noundef nonnull @.str.5)
  %12 = icmp eq ptr %11, null
  br i1 %12, label %16, label %13
13:
  %14 = load i8, ptr %11, align 1
  %15 = icmp eq i8 %14, 0
  br i1 %15, label %16, label %21
16:
  br label %17
17:
  %18 = call ptr @dlopen(ptr noundef nonnull @__gpuinstr_runtime_path, i32 noundef 2)
  br label %19
19:
  %20 = icmp eq ptr %18, null
  br i1 %20, label %21, label %25
21:
  %22 = phi ptr [ %11, %13 ], [ @.str.4, %19 ]
  %23 = phi ptr [ %11, %13 ], [ @__gpuinstr_runtime_path, %19 ]
  %24 = call ptr @dlopen(ptr noundef nonnull %22, i32 noundef 2)
  br label %25
25:
  %26 = phi ptr [ %18, %19 ], [ %24, %21 ]
  %27 = phi ptr [ @__gpuinstr_runtime_path, %19 ], [ %23, %21 ]
  %28 = icmp eq ptr %26, null
  br i1 %28, label %29, label %33
29:
  %30 = load i8, ptr %27, align 1
  %31 = icmp eq i8 %30, 0
  %32 = select i1 %31, ptr @.str.4, ptr %27
  call void @__gpuinstr_complain(ptr noundef nonnull @.str.6, ptr noundef nonnull %32)
  br label %47
33:
  %34 = call ptr @dlsym(ptr noundef nonnull %26, ptr noundef nonnull @.str.7)
  %35 = icmp eq ptr %34, null
  br i1 %35, label %43, label %36
36:
  %37 = load i64, ptr %1, align 8
  %38 = mul i64 %37, 1000000000
  %39 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %40 = load i64, ptr %39, align 8
  %41 = add i64 %38, %40
  %42 = call ptr %34(i32 noundef 1, i32 noundef 160, i64 noundef %41)
  br label %43
43:
  %44 = phi ptr [ %42, %36 ], [ null, %33 ]
  %45 = icmp eq ptr %44, null
  br i1 %45, label %46, label %47
46:
  call void @__gpuinstr_complain(ptr noundef nonnull @.str.8, ptr noundef nonnull %27)
  br label %47
47:
  %48 = phi ptr [ null, %29 ], [ null, %46 ], [ %44, %43 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %1)
  br label %49
49:
  %50 = phi ptr [ %48, %47 ], [ null, %5 ]
  ret ptr %50
}
declare extern_weak ptr @dlopen(ptr noundef, i32 noundef)
declare extern_weak ptr @dlsym(ptr noundef, ptr noundef)
define linkonce_odr hidden void @__gpuinstr_complain(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1) local_unnamed_addr comdat {
  ret void
}
declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg)
declare extern_weak i32 @clock_gettime(i32 noundef, ptr noundef)
declare noundef ptr @getenv(ptr noundef captures(none)) local_unnamed_addr
define linkonce_odr hidden void @__gpuinstr_register(ptr noundef %0) local_unnamed_addr comdat {
  %2 = load atomic i32, ptr @__gpuinstr_state acquire, align 4
  %3 = icmp eq i32 %2, 2
  br i1 %3, label %56, label %4
4:
  %5 = tail call align 4 ptr @llvm.threadlocal.address.p0(ptr align 4 @__gpuinstr_connecting)
  %6 = load i32, ptr %5, align 4
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %8, label %59
8:
  %9 = icmp eq i32 %2, 0
  br i1 %9, label %11, label %10
10:
  br label %48
11:
  %12 = cmpxchg ptr @__gpuinstr_state, i32 0, i32 1 acq_rel acquire, align 4
  %13 = extractvalue { i32, i1 } %12, 1
  br i1 %13, label %14, label %10
14:
  store i32 1, ptr %5, align 4
  %15 = tail call ptr @__gpuinstr_load()
  %16 = getelementptr inbounds nuw i8, ptr %15, i64 8
  %17 = icmp eq ptr %15, null
  br i1 %17, label %25, label %18
18:
  %19 = load i32, ptr %15, align 8
  %20 = icmp ugt i32 %19, 7
  br i1 %20, label %21, label %25
21:
  %22 = add i32 %19, -8
  %23 = lshr i32 %22, 3
  %24 = zext nneg i32 %23 to i64
  br label %25
25:
  %26 = phi i64 [ %24, %21 ], [ 0, %18 ], [ 0, %14 ]
  br label %27
27:
  %28 = phi i64 [ 0, %25 ], [ %45, %44 ]
  %29 = icmp samesign ult i64 %28, %26
  br i1 %29, label %30, label %37
30:
  %31 = getelementptr inbounds nuw ptr, ptr %16, i64 %28
  %32 = load ptr, ptr %31, align 8
  %33 = icmp eq ptr %32, null
  br i1 %33, label %37, label %34
34:
  %35 = getelementptr inbounds nuw ptr, ptr getelementptr inbounds nuw (i8, ptr @__gpuinstr_table_v1, i64 8), i64 %28
  %36 = ptrtoint ptr %32 to i64
  store atomic i64 %36, ptr %35 release, align 8
  br label %44
37:
  %38 = getelementptr inbounds nuw ptr, ptr getelementptr inbounds nuw (i8, ptr @__gpuinstr_table_v1, i64 8), i64 %28
  %39 = load ptr, ptr %38, align 8
  %40 = icmp eq ptr %39, @__gpuinstr_lazy_enter
  %41 = icmp eq ptr %39, @__gpuinstr_lazy_count
  %42 = or i1 %40, %41
  br i1 %42, label %43, label %44
43:
  store atomic i64 ptrtoint (ptr @__gpuinstr_nothing to i64), ptr %38 release, align 8
  br label %44
44:
  %45 = add nuw nsw i64 %28, 1
  %46 = icmp eq i64 %45, 19
  br i1 %46, label %47, label %27
47:
  store i32 0, ptr %5, align 4
  store atomic i32 2, ptr @__gpuinstr_state release, align 4
  br label %56
48:
  %49 = phi i32 [ %52, %48 ], [ 0, %10 ]
  %50 = load atomic i32, ptr @__gpuinstr_state acquire, align 4
  %51 = icmp eq i32 %50, 2
  %52 = add nuw nsw i32 %49, 1
  %53 = icmp eq i32 %52, 50000000
  %54 = select i1 %51, i1 true, i1 %53
  br i1 %54, label %55, label %48
55:
  br i1 %51, label %56, label %59
56:
  %57 = getelementptr inbounds nuw i8, ptr %0, i64 20
  store i32 1, ptr %57, align 4
  %58 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @__gpuinstr_table_v1, i64 32), align 8
  tail call void %58(ptr noundef %0)
  br label %59
59:
  ret void
}
define linkonce_odr hidden void @__gpuinstr_unregister(ptr noundef %0) local_unnamed_addr comdat {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 20
  %3 = load i32, ptr %2, align 4
  %4 = icmp eq i32 %3, 0
  br i1 %4, label %7, label %5
5:
  %6 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @__gpuinstr_table_v1, i64 40), align 8
  tail call void %6(ptr noundef %0)
  br label %7
7:
  store i32 0, ptr %2, align 4
  ret void
}
