; What the plugin of 2026-11-21 made of program.cpp at -O1: an array of descriptors. What the program does not reach is hollowed out.
; SPDX-License-Identifier: Apache-2.0
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
%struct.gpuinstr_table = type { i32, i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr }
$__gpuinstr_lazy_enter = comdat any
$__gpuinstr_no_leave = comdat any
$__gpuinstr_lazy_count = comdat any
$__gpuinstr_lazy_register = comdat any
$__gpuinstr_no_module = comdat any
$__gpuinstr_no_exit = comdat any
$__gpuinstr_lazy_push = comdat any
$__gpuinstr_lazy_pop = comdat any
$__gpuinstr_lazy_pause = comdat any
$__gpuinstr_lazy_resume = comdat any
$__gpuinstr_no_void = comdat any
$__gpuinstr_lazy_mark = comdat any
$__gpuinstr_no_leaks = comdat any
$__gpuinstr_lazy_name = comdat any
$__gpuinstr_lazy_ignore = comdat any
$__gpuinstr_lazy_pool_alloc = comdat any
$__gpuinstr_lazy_pool_free = comdat any
$__gpuinstr_load = comdat any
$__gpuinstr_no_frame = comdat any
$__gpuinstr_no_site = comdat any
$__gpuinstr_no_text = comdat any
$__gpuinstr_no_mark = comdat any
$__gpuinstr_no_name = comdat any
$__gpuinstr_no_pointer = comdat any
$__gpuinstr_no_pool = comdat any
$__gpuinstr_no_pool_free = comdat any
$__gpuinstr_complain = comdat any
$__gpuinstr_callers = comdat any
$__gpuinstr_state = comdat any
$__gpuinstr_connecting = comdat any
$__gpuinstr_runtime_path = comdat any
$__gpuinstr_no_table = comdat any
$__gpuinstr_table_v1 = comdat any
@_ZZ4mainE4text = internal global [4096 x i8] zeroinitializer, align 16
@.str = private unnamed_addr constant [11 x i8] c"result %d\0A\00", align 1
@__gpuinstr_callers = linkonce_odr thread_local local_unnamed_addr global [4 x ptr] zeroinitializer, comdat, align 8
@__gpuinstr_text = private unnamed_addr constant [9 x i8] c"prog.cpp\00", align 1
@__gpuinstr_text.1 = private unnamed_addr constant [5 x i8] c"main\00", align 1
@__gpuinstr_text.2 = private unnamed_addr constant [11 x i8] c"cudaMalloc\00", align 1
@__gpuinstr_text.3 = private unnamed_addr constant [7 x i8] c"d_lost\00", align 1
@__gpuinstr_text.4 = private unnamed_addr constant [5 x i8] c"void\00", align 1
@__gpuinstr_text.5 = private unnamed_addr constant [1 x i8] zeroinitializer, align 1
@__gpuinstr_text.6 = private unnamed_addr constant [8 x i8] c"&d_lost\00", align 1
@__gpuinstr_text.7 = private unnamed_addr constant [12 x i8] c"sizeof text\00", align 1
@__gpuinstr_arguments = private constant [2 x ptr] [ptr @__gpuinstr_text.6, ptr @__gpuinstr_text.7]
@__gpuinstr_text.8 = private unnamed_addr constant [5 x i8] c"fill\00", align 1
@__gpuinstr_text.9 = private unnamed_addr constant [5 x i8] c"text\00", align 1
@__gpuinstr_arguments.10 = private constant [3 x ptr] [ptr @__gpuinstr_text.3, ptr @__gpuinstr_text.9, ptr @__gpuinstr_text.7]
@__gpuinstr_text.11 = private unnamed_addr constant [11 x i8] c"cudaMemcpy\00", align 1
@__gpuinstr_text.12 = private unnamed_addr constant [3 x i8] c"to\00", align 1
@__gpuinstr_text.13 = private unnamed_addr constant [5 x i8] c"from\00", align 1
@__gpuinstr_text.14 = private unnamed_addr constant [6 x i8] c"bytes\00", align 1
@__gpuinstr_text.15 = private unnamed_addr constant [23 x i8] c"cudaMemcpyHostToDevice\00", align 1
@__gpuinstr_arguments.16 = private constant [4 x ptr] [ptr @__gpuinstr_text.12, ptr @__gpuinstr_text.13, ptr @__gpuinstr_text.14, ptr @__gpuinstr_text.15]
@__gpuinstr_sites = internal global [3 x { i32, i32, i16, i16, i32, i16, i16, i32, i32, i32, i64, i64, ptr, ptr, ptr, ptr, ptr, ptr, ptr }] [{ i32, i32, i16, i16, i32, i16, i16, i32, i32, i32, i64, i64, ptr, ptr, ptr, ptr, ptr, ptr, ptr } { i32 104, i32 0, i16 4, i16 1, i32 2, i16 0, i16 2, i32 5, i32 11, i32 15, i64 -9114366912894077698, i64 0, ptr @__gpuinstr_text, ptr @__gpuinstr_text.1, ptr @__gpuinstr_text.2, ptr @__gpuinstr_text.3, ptr @__gpuinstr_text.4, ptr @__gpuinstr_text.5, ptr @__gpuinstr_arguments }, { i32, i32, i16, i16, i32, i16, i16, i32, i32, i32, i64, i64, ptr, ptr, ptr, ptr, ptr, ptr, ptr } { i32 104, i32 0, i16 0, i16 0, i32 0, i16 0, i16 3, i32 0, i32 12, i32 38, i64 3537141084537168805, i64 -1641166401574357820, ptr @__gpuinstr_text, ptr @__gpuinstr_text.1, ptr @__gpuinstr_text.8, ptr @__gpuinstr_text.5, ptr @__gpuinstr_text.5, ptr @__gpuinstr_text.5, ptr @__gpuinstr_arguments.10 }, { i32, i32, i16, i16, i32, i16, i16, i32, i32, i32, i64, i64, ptr, ptr, ptr, ptr, ptr, ptr, ptr } { i32 104, i32 0, i16 8, i16 0, i32 2, i16 0, i16 4, i32 23, i32 5, i32 10, i64 -2988441697985663925, i64 0, ptr @__gpuinstr_text, ptr @__gpuinstr_text.8, ptr @__gpuinstr_text.11, ptr @__gpuinstr_text.12, ptr @__gpuinstr_text.4, ptr @__gpuinstr_text.5, ptr @__gpuinstr_arguments.16 }], align 8
@__gpuinstr_module = internal global { i32, i32, i32, i32, i32, i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr } { i32 80, i32 1, i32 3, i32 0, i32 0, i32 0, ptr @__gpuinstr_sites, ptr null, ptr null, ptr @__gpuinstr_text, ptr @__gpuinstr_text.17, ptr @__gpuinstr_text.5, ptr @__gpuinstr_module }, align 8
@__gpuinstr_text.17 = private unnamed_addr constant [28 x i8] c"gpuinstr 0.1.0 clang 22.1.8\00", align 1
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
@__gpuinstr_no_table = linkonce_odr hidden local_unnamed_addr constant %struct.gpuinstr_table { i32 152, i32 1, ptr @__gpuinstr_no_frame, ptr @__gpuinstr_no_leave, ptr @__gpuinstr_no_site, ptr @__gpuinstr_no_module, ptr @__gpuinstr_no_module, ptr @__gpuinstr_no_exit, ptr @__gpuinstr_no_text, ptr @__gpuinstr_no_void, ptr @__gpuinstr_no_void, ptr @__gpuinstr_no_void, ptr @__gpuinstr_no_void, ptr @__gpuinstr_no_void, ptr @__gpuinstr_no_mark, ptr @__gpuinstr_no_leaks, ptr @__gpuinstr_no_name, ptr @__gpuinstr_no_pointer, ptr @__gpuinstr_no_pool, ptr @__gpuinstr_no_pool_free }, comdat, align 8
@__gpuinstr_table_v1 = linkonce_odr hidden local_unnamed_addr global %struct.gpuinstr_table { i32 152, i32 1, ptr @__gpuinstr_lazy_enter, ptr @__gpuinstr_no_leave, ptr @__gpuinstr_lazy_count, ptr @__gpuinstr_lazy_register, ptr @__gpuinstr_no_module, ptr @__gpuinstr_no_exit, ptr @__gpuinstr_lazy_push, ptr @__gpuinstr_lazy_pop, ptr @__gpuinstr_lazy_pause, ptr @__gpuinstr_lazy_resume, ptr @__gpuinstr_no_void, ptr @__gpuinstr_no_void, ptr @__gpuinstr_lazy_mark, ptr @__gpuinstr_no_leaks, ptr @__gpuinstr_lazy_name, ptr @__gpuinstr_lazy_ignore, ptr @__gpuinstr_lazy_pool_alloc, ptr @__gpuinstr_lazy_pool_free }, comdat, align 8
define dso_local noundef i32 @main() local_unnamed_addr {
  %1 = alloca [264 x i8], align 8
  %2 = alloca ptr, align 8
  %3 = tail call align 8 ptr @llvm.threadlocal.address.p0(ptr align 8 @__gpuinstr_callers)
  %4 = load ptr, ptr %3, align 8
  %5 = icmp eq ptr %4, null
  %6 = select i1 %5, ptr @__gpuinstr_sites, ptr %4
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
  store ptr @__gpuinstr_sites, ptr %1, align 8
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
  store ptr getelementptr inbounds nuw (i8, ptr @__gpuinstr_sites, i64 104), ptr %3, align 8
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
  %6 = select i1 %5, ptr @__gpuinstr_sites, ptr %4
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
  store ptr getelementptr inbounds nuw (i8, ptr @__gpuinstr_sites, i64 208), ptr %2, align 8
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
  store i32 1, ptr getelementptr inbounds nuw (i8, ptr @__gpuinstr_module, i64 20), align 4
  %1 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @__gpuinstr_table_v1, i64 32), align 8
  tail call void %1(ptr noundef nonnull @__gpuinstr_module)
  ret void
}
define internal void @__gpuinstr_dtor() {
  %1 = load i32, ptr getelementptr inbounds nuw (i8, ptr @__gpuinstr_module, i64 20), align 4
  %2 = icmp eq i32 %1, 0
  br i1 %2, label %5, label %3
3:
  %4 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @__gpuinstr_table_v1, i64 40), align 8
  tail call void %4(ptr noundef nonnull @__gpuinstr_module)
  br label %5
5:
  store i32 0, ptr getelementptr inbounds nuw (i8, ptr @__gpuinstr_module, i64 20), align 4
  ret void
}
define linkonce_odr hidden void @__gpuinstr_lazy_enter(ptr noundef %0) comdat {
  ret void
}
define linkonce_odr hidden void @__gpuinstr_no_leave(ptr readnone captures(none) %0, i64 %1) comdat {
  ret void
}
define linkonce_odr hidden void @__gpuinstr_lazy_count(ptr noundef %0) comdat {
  ret void
}
define linkonce_odr hidden void @__gpuinstr_lazy_register(ptr noundef %0) comdat {
  %2 = load atomic i32, ptr @__gpuinstr_state acquire, align 4
  %3 = icmp eq i32 %2, 2
  br i1 %3, label %53, label %4
4:
  %5 = tail call align 4 ptr @llvm.threadlocal.address.p0(ptr align 4 @__gpuinstr_connecting)
  %6 = load i32, ptr %5, align 4
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %8, label %55
8:
  %9 = icmp eq i32 %2, 0
  br i1 %9, label %11, label %10
10:
  br label %45
11:
  %12 = cmpxchg ptr @__gpuinstr_state, i32 0, i32 1 acq_rel acquire, align 4
  %13 = extractvalue { i32, i1 } %12, 1
  br i1 %13, label %14, label %10
14:
  store i32 1, ptr %5, align 4
  %15 = tail call ptr @__gpuinstr_load()
  %16 = icmp eq ptr %15, null
  %17 = getelementptr inbounds nuw i8, ptr %15, i64 8
  %18 = select i1 %16, ptr getelementptr inbounds nuw (i8, ptr @__gpuinstr_no_table, i64 8), ptr %17
  br i1 %16, label %26, label %19
19:
  %20 = load i32, ptr %15, align 8
  %21 = icmp ugt i32 %20, 7
  br i1 %21, label %22, label %26
22:
  %23 = add i32 %20, -8
  %24 = lshr i32 %23, 3
  %25 = zext nneg i32 %24 to i64
  br label %26
26:
  %27 = phi i64 [ %25, %22 ], [ 0, %19 ], [ 0, %14 ]
  br label %28
28:
  %29 = phi i64 [ 0, %26 ], [ %42, %38 ]
  %30 = icmp samesign ult i64 %29, %27
  br i1 %30, label %31, label %35
31:
  %32 = getelementptr inbounds nuw ptr, ptr %18, i64 %29
  %33 = load ptr, ptr %32, align 8
  %34 = icmp eq ptr %33, null
  br i1 %34, label %35, label %38
35:
  %36 = getelementptr inbounds nuw ptr, ptr getelementptr inbounds nuw (i8, ptr @__gpuinstr_no_table, i64 8), i64 %29
  %37 = load ptr, ptr %36, align 8
  br label %38
38:
  %39 = phi ptr [ %37, %35 ], [ %33, %31 ]
  %40 = getelementptr inbounds nuw ptr, ptr getelementptr inbounds nuw (i8, ptr @__gpuinstr_table_v1, i64 8), i64 %29
  %41 = ptrtoint ptr %39 to i64
  store atomic i64 %41, ptr %40 release, align 8
  %42 = add nuw nsw i64 %29, 1
  %43 = icmp eq i64 %42, 18
  br i1 %43, label %44, label %28
44:
  store i32 0, ptr %5, align 4
  store atomic i32 2, ptr @__gpuinstr_state release, align 4
  br label %53
45:
  %46 = phi i32 [ %49, %45 ], [ 0, %10 ]
  %47 = load atomic i32, ptr @__gpuinstr_state acquire, align 4
  %48 = icmp eq i32 %47, 2
  %49 = add nuw nsw i32 %46, 1
  %50 = icmp eq i32 %49, 50000000
  %51 = select i1 %48, i1 true, i1 %50
  br i1 %51, label %52, label %45
52:
  br i1 %48, label %53, label %55
53:
  %54 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @__gpuinstr_table_v1, i64 32), align 8
  tail call void %54(ptr noundef %0)
  br label %55
55:
  ret void
}
define linkonce_odr hidden void @__gpuinstr_no_module(ptr readnone captures(none) %0) comdat {
  ret void
}
define linkonce_odr hidden void @__gpuinstr_no_exit(i32 %0) comdat {
  ret void
}
define linkonce_odr hidden void @__gpuinstr_lazy_push(ptr noundef %0) comdat {
  ret void
}
define linkonce_odr hidden void @__gpuinstr_lazy_pop() comdat {
  ret void
}
define linkonce_odr hidden void @__gpuinstr_lazy_pause() comdat {
  ret void
}
define linkonce_odr hidden void @__gpuinstr_lazy_resume() comdat {
  ret void
}
define linkonce_odr hidden void @__gpuinstr_no_void() comdat {
  ret void
}
define linkonce_odr hidden i64 @__gpuinstr_lazy_mark() comdat {
  ret i64 0
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
define linkonce_odr hidden void @__gpuinstr_lazy_name(ptr noundef %0, ptr noundef %1) comdat {
  ret void
}
define linkonce_odr hidden void @__gpuinstr_lazy_ignore(ptr noundef %0) comdat {
  ret void
}
define linkonce_odr hidden void @__gpuinstr_lazy_pool_alloc(ptr noundef %0, ptr noundef %1, i64 noundef %2) comdat {
  ret void
}
define linkonce_odr hidden void @__gpuinstr_lazy_pool_free(ptr noundef %0, ptr noundef %1) comdat {
  ret void
}
define linkonce_odr hidden ptr @__gpuinstr_load() local_unnamed_addr comdat {
  %1 = icmp ne ptr @dlopen, null
  %2 = icmp ne ptr @dlsym, null
  %3 = and i1 %1, %2
  br i1 %3, label %5, label %4
4:
  tail call void @__gpuinstr_complain(ptr noundef nonnull @.str.3, ptr noundef nonnull @.str.4)
  br label %35
5:
  %6 = tail call ptr @getenv(ptr noundef nonnull @.str.5)
  %7 = icmp eq ptr %6, null
  br i1 %7, label %11, label %8
8:
  %9 = load i8, ptr %6, align 1
  %10 = icmp eq i8 %9, 0
  br i1 %10, label %11, label %14
11:
  %12 = tail call ptr @dlopen(ptr noundef nonnull @__gpuinstr_runtime_path, i32 noundef 2)
  %13 = icmp eq ptr %12, null
  br i1 %13, label %14, label %18
14:
  %15 = phi ptr [ %6, %8 ], [ @.str.4, %11 ]
  %16 = phi ptr [ %6, %8 ], [ @__gpuinstr_runtime_path, %11 ]
  %17 = tail call ptr @dlopen(ptr noundef nonnull %15, i32 noundef 2)
  br label %18
18:
  %19 = phi ptr [ %12, %11 ], [ %17, %14 ]
  %20 = phi ptr [ @__gpuinstr_runtime_path, %11 ], [ %16, %14 ]
  %21 = icmp eq ptr %19, null
  br i1 %21, label %22, label %26
22:
  %23 = load i8, ptr %20, align 1
  %24 = icmp eq i8 %23, 0
  %25 = select i1 %24, ptr @.str.4, ptr %20
  tail call void @__gpuinstr_complain(ptr noundef nonnull @.str.6, ptr noundef nonnull %25)
  br label %35
26:
  %27 = tail call ptr @dlsym(ptr noundef nonnull %19, ptr noundef nonnull @.str.7)
  %28 = icmp eq ptr %27, null
  br i1 %28, label %31, label %29
29:
  %30 = tail call ptr %27(i32 noundef 1, i32 noundef 152)
  br label %31
31:
  %32 = phi ptr [ %30, %29 ], [ null, %26 ]
  %33 = icmp eq ptr %32, null
  br i1 %33, label %34, label %35
34:
  tail call void @__gpuinstr_complain(ptr noundef nonnull @.str.8, ptr noundef nonnull %20)
  br label %35
35:
  %36 = phi ptr [ null, %4 ], [ null, %22 ], [ null, %34 ], [ %32, %31 ]
  ret ptr %36
}
define linkonce_odr hidden void @__gpuinstr_no_frame(ptr readnone captures(none) %0) comdat {
  ret void
}
define linkonce_odr hidden void @__gpuinstr_no_site(ptr readnone captures(none) %0) comdat {
  ret void
}
define linkonce_odr hidden void @__gpuinstr_no_text(ptr readnone captures(none) %0) comdat {
  ret void
}
define linkonce_odr hidden noundef i64 @__gpuinstr_no_mark() comdat {
  ret i64 0
}
define linkonce_odr hidden void @__gpuinstr_no_name(ptr readnone captures(none) %0, ptr readnone captures(none) %1) comdat {
  ret void
}
define linkonce_odr hidden void @__gpuinstr_no_pointer(ptr readnone captures(none) %0) comdat {
  ret void
}
define linkonce_odr hidden void @__gpuinstr_no_pool(ptr readnone captures(none) %0, ptr readnone captures(none) %1, i64 %2) comdat {
  ret void
}
define linkonce_odr hidden void @__gpuinstr_no_pool_free(ptr readnone captures(none) %0, ptr readnone captures(none) %1) comdat {
  ret void
}
declare extern_weak ptr @dlopen(ptr noundef, i32 noundef)
declare extern_weak ptr @dlsym(ptr noundef, ptr noundef)
define linkonce_odr hidden void @__gpuinstr_complain(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1) local_unnamed_addr comdat {
  ret void
}
declare noundef ptr @getenv(ptr noundef captures(none)) local_unnamed_addr
