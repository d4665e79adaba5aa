// Traces as SQLite with the table and column names of Nsight Systems' export.
// SPDX-License-Identifier: Apache-2.0
#include "gpuinstr/abi.h"
#include "io/Failure.h"
#include "io/OutFile.h"
#include "trace/SqliteSchema.h"
#include "trace/TraceTimeline.h"
#include "trace/Writers.h"
#if GPUINSTR_HAVE_SQLITE
#include <map>
#include <set>
#include <sqlite3.h>
#include <unistd.h>

namespace gpuinstr::cli {

namespace {

class Database {
public:
  explicit Database(const std::string &path) : Path(path) {
    if (sqlite3_open(path.c_str(), &Handle) != SQLITE_OK)
      fail();
    run("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; BEGIN");
  }
  ~Database() { sqlite3_close_v2(Handle); }
  void run(const std::string &sql) {
    if (sqlite3_exec(Handle, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
      fail();
  }
  [[noreturn]] void fail() { throw Failure(Path + ": " + sqlite3_errmsg(Handle)); }
  sqlite3 *handle() { return Handle; }

private:
  std::string Path;
  sqlite3 *Handle = nullptr;
};

/// INSERT with one ? for each value, filled from left to right.
class Insert {
public:
  Insert(Database &db, const std::string &table, int columns) : Db(db) {
    std::string sql = "INSERT INTO " + table + " VALUES (?";
    for (int i = 1; i < columns; ++i)
      sql += ",?";
    if (sqlite3_prepare_v2(db.handle(), (sql + ")").c_str(), -1, &Statement, nullptr) != SQLITE_OK)
      db.fail();
  }
  ~Insert() { sqlite3_finalize(Statement); }
  Insert &operator<<(int64_t value) {
    sqlite3_bind_int64(Statement, ++At, value);
    return *this;
  }
  Insert &operator<<(uint64_t value) { return *this << int64_t(value); }
  Insert &operator<<(uint32_t value) { return *this << int64_t(value); }
  Insert &operator<<(int value) { return *this << int64_t(value); }
  Insert &operator<<(std::string_view text) {
    sqlite3_bind_text(Statement, ++At, text.data() ? text.data() : "", int(text.size()),
                      SQLITE_TRANSIENT);
    return *this;
  }
  Insert &operator<<(std::nullptr_t) {
    sqlite3_bind_null(Statement, ++At);
    return *this;
  }
  void row() {
    if (sqlite3_step(Statement) != SQLITE_DONE)
      Db.fail();
    sqlite3_reset(Statement);
    At = 0;
  }

private:
  Database &Db;
  sqlite3_stmt *Statement = nullptr;
  int At = 0;
};

// CUpti_ActivityMemcpyKind by trace::Direction, CUDA_MEMOPR_MEMORY_KIND.
constexpr int CopyKinds[] = {0, 9, 1, 2, 8};
enum MemoryKind { Pageable = 0, Pinned = 1, Device = 2, Unknown = 7 };
constexpr int PushPop = 59, DomainCreate = 75, OurDomain = 1;

class SqliteWriter : public Timeline::Sink {
public:
  SqliteWriter(const Timeline &timeline, Database &db)
      : All(timeline), Kernels(db, "CUPTI_ACTIVITY_KIND_KERNEL", 29),
        Copies(db, "CUPTI_ACTIVITY_KIND_MEMCPY", 20), Sets(db, "CUPTI_ACTIVITY_KIND_MEMSET", 12),
        Graphs(db, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", 12),
        Calls(db, "CUPTI_ACTIVITY_KIND_RUNTIME", 9),
        Syncs(db, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", 10), Ranges(db, "NVTX_EVENTS", 19),
        Strings(db, "StringIds", 2), Threads(db, "ThreadNames", 3),
        Sites(db, "GPUINSTR_SITES", 10) {
    targets(db);
  }

  void slice(const Slice &s) override {
    switch (s.kind) {
    case SliceKind::Kernel:
      return kernel(s);
    case SliceKind::Copy:
      return copy(s);
    case SliceKind::Set:
      return set(s);
    case SliceKind::Graph:
      head(Graphs, s) << nullptr << nullptr << nullptr << site(s);
      return Graphs.row();
    case SliceKind::Range:
      return range(s, s.name, nullptr, 0);
    case SliceKind::Call:
      return call(s);
    }
  }

private:
  const Timeline &All;
  Insert Kernels, Copies, Sets, Graphs, Calls, Syncs, Ranges, Strings, Threads, Sites;
  std::map<std::string, int64_t, std::less<>> StringNumbers;
  std::map<std::pair<uint32_t, const TraceSite *>, int64_t> SiteNumbers;
  std::set<uint64_t> KnownThreads;
  uint64_t WithoutWork = 0;

  int64_t string(std::string_view text) {
    auto it = StringNumbers.find(text);
    if (it != StringNumbers.end())
      return it->second;
    int64_t number = int64_t(StringNumbers.size());
    StringNumbers.emplace(text, number);
    Strings << number << text;
    Strings.row();
    return number;
  }

  /// 0 none.
  int64_t site(const Slice &s) {
    if (!s.site)
      return 0;
    auto [it, fresh] =
        SiteNumbers.emplace(std::make_pair(s.process, s.site), SiteNumbers.size() + 1);
    if (fresh) {
      std::string arguments;
      for (const std::string &argument : s.site->arguments)
        arguments += (arguments.empty() ? "" : ", ") + argument;
      char id[20];
      std::snprintf(id, sizeof id, "%016llx", static_cast<unsigned long long>(s.site->id));
      Sites << it->second << std::string_view(id) << s.site->file << s.site->line << s.site->column
            << s.site->function << s.site->callee << s.site->variable << s.site->type << arguments;
      Sites.row();
    }
    return it->second;
  }

  /// As Nsight serialises them: pid and tid in 24 bits each.
  int64_t globalPid(uint32_t process) const {
    return int64_t(uint64_t(All.processes()[process].pid & 0xffffff) << 24);
  }
  int64_t globalTid(const Slice &s) { return globalPid(s.process) | (s.tid & 0xffffff); }

  Insert &head(Insert &to, const Slice &s) {
    return to << s.start << s.end << s.device << 1 << nullptr << s.stream << s.correlation
              << globalPid(s.process);
  }

  void kernel(const Slice &s) {
    const trace::LaunchOperands &l = s.record->launch;
    head(Kernels, s) << string(s.kernel.empty() ? s.name : s.kernel)
                     << string(shortKernelName(s.kernel.empty() ? s.name : s.kernel)) << nullptr
                     << nullptr << nullptr << int(l.registers) << l.grid[0] << l.grid[1]
                     << l.grid[2] << int(l.block[0]) << int(l.block[1]) << int(l.block[2]) << 0
                     << l.shared << 0 << 0 << int64_t(s.correlation) << nullptr << nullptr
                     << nullptr << site(s);
    Kernels.row();
  }

  void copy(const Slice &s) {
    const trace::MemoryOperands &m = s.record->memory;
    bool fromHost = m.direction == trace::Direction::HostToDevice ||
                    m.direction == trace::Direction::HostToHost;
    bool toHost = m.direction == trace::Direction::DeviceToHost ||
                  m.direction == trace::Direction::HostToHost;
    int host = m.memory == trace::HostMemory::Pinned     ? Pinned
               : m.memory == trace::HostMemory::Pageable ? Pageable
                                                         : Unknown;
    bool known = m.direction != trace::Direction::Unknown;
    head(Copies, s) << s.record->bytes << CopyKinds[unsigned(m.direction) % 5] << nullptr
                    << (fromHost ? host
                        : known  ? Device
                                 : Unknown)
                    << (toHost  ? host
                        : known ? Device
                                : Unknown)
                    << nullptr << nullptr << nullptr << nullptr << nullptr << nullptr << site(s);
    Copies.row();
  }

  void set(const Slice &s) {
    head(Sets, s) << s.record->memory.value << s.record->bytes << int(Device) << site(s);
    Sets.row();
  }

  void call(const Slice &s) {
    bool driver = s.site && (s.site->flags & GPUINSTR_SITE_DRIVER);
    // Numbers behind those of the calls that have work on the device.
    uint64_t correlation = s.correlation ? s.correlation : All.callsWithWork() + ++WithoutWork;
    Calls << s.start << s.end << int(driver) << globalTid(s) << correlation << string(s.name)
          << int(s.record->result) << nullptr << site(s);
    Calls.row();
    std::string place = placeOf(s.site);
    range(s, "", place.empty() ? std::string(s.name) : std::string(s.name) + " " + place,
          OurDomain);
    thread(s);
    synchronization(s, correlation);
  }

  void synchronization(const Slice &s, uint64_t correlation) {
    // CUpti_ActivitySynchronizationType.
    int type = s.record->op == GPUINSTR_OP_SYNC_EVENT    ? 1
               : s.record->op == GPUINSTR_OP_WAIT_EVENT  ? 2
               : s.record->op == GPUINSTR_OP_SYNC_STREAM ? 3
               : s.record->op == GPUINSTR_OP_SYNC_DEVICE ? 4
                                                         : 0;
    if (!type)
      return;
    Syncs << s.start << s.end << 0 << 1 << nullptr << s.stream << correlation
          << globalPid(s.process) << type << 0;
    Syncs.row();
  }

  /// A user's range by its text, a call's by the number of its text.
  template <class Text>
  void range(const Slice &s, std::string_view text, Text registered, int domain) {
    Ranges << s.start << s.end << PushPop << nullptr << nullptr << nullptr;
    if constexpr (std::is_same_v<Text, std::nullptr_t>)
      Ranges << text;
    else
      Ranges << nullptr;
    Ranges << globalTid(s) << nullptr;
    if constexpr (std::is_same_v<Text, std::nullptr_t>)
      Ranges << nullptr;
    else
      Ranges << string(registered);
    Ranges << domain;
    for (int i = 0; i < 8; ++i)
      Ranges << nullptr;
    Ranges.row();
    thread(s);
  }

  void thread(const Slice &s) {
    if (!KnownThreads.insert(uint64_t(s.process) << 32 | s.record->thread).second)
      return;
    const TraceThread *known = All.processes()[s.process].file->thread(s.record->thread);
    Threads << string(known ? known->name : "") << 0 << globalTid(s);
    Threads.row();
  }

  void targets(Database &db) {
    Insert processes(db, "PROCESSES", 3), gpus(db, "TARGET_INFO_GPU", 20),
        environment(db, "TARGET_INFO_SYSTEM_ENV", 5),
        start(db, "TARGET_INFO_SESSION_START_TIME", 3);
    Ranges << 0 << nullptr << DomainCreate << nullptr << nullptr << nullptr
           << std::string_view("gpuinstr") << 0 << nullptr << nullptr << OurDomain;
    for (int i = 0; i < 8; ++i)
      Ranges << nullptr;
    Ranges.row();
    std::set<std::string> hosts;
    std::set<uint32_t> devices;
    for (uint32_t i = 0; i < All.processes().size(); ++i) {
      const TimelineProcess &process = All.processes()[i];
      processes << globalPid(i) << process.pid << process.label;
      processes.row();
      if (hosts.insert(process.file->process().host).second) {
        environment << 0 << nullptr << std::string_view("Hostname") << nullptr
                    << process.file->process().host;
        environment.row();
      }
      for (const TraceDevice &device : process.file->devices()) {
        if (!devices.insert(device.ordinal).second)
          continue;
        gpus << 0 << device.ordinal << device.name << nullptr << 1 << nullptr << device.memory;
        for (int n = 0; n < 9; ++n)
          gpus << nullptr;
        gpus << device.ordinal << nullptr << nullptr << nullptr;
        gpus.row();
      }
    }
    start << All.baseNs() << std::string_view() << std::string_view();
    start.row();
  }
};

} // namespace

void writeSqlite(Timeline &timeline, const std::string &path) {
  if (path == "-")
    throw Failure("a database cannot go to the standard output");
  OutFile out(path); // made empty, which SQLite takes for a new database
  {
    Database db(out.name());
    db.run(TraceSchema);
    SqliteWriter writer(timeline, db);
    timeline.run(writer, "writing");
    db.run("COMMIT");
  }
  out.commit();
}

} // namespace gpuinstr::cli

#else
namespace gpuinstr::cli {
void writeSqlite(Timeline &, const std::string &path) {
  throw Failure(path + ": this gpuinstr was built without SQLite");
}
} // namespace gpuinstr::cli
#endif
