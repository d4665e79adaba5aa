// What a look at a transfer's bytes has shown, and what follows for its key.
// SPDX-License-Identifier: Apache-2.0
#include "audit/transfers/Occurrences.h"
#include "base/Clock.h"
#include <algorithm>

namespace gpuinstr::audit {

void addAnswer(Auditor &a, Key &key, Tally &tally, bool unchanged) {
  uint64_t bytes = key.id.bytes;
  key.lastLookNs = monotonicNs();
  ++tally.checked;
  tally.unchanged += unchanged;
  ++a.waste.figures.verified;
  a.waste.figures.verifiedBytes += bytes;
}

void noteQuiet(Key &key, uint64_t shown) {
  ++key.same.quiet;
  key.same.quietShown += shown;
}

Tally &tallyOf(Key &key, Question question) {
  return question == Question::Round   ? key.round
         : question == Question::Again ? key.again
                                       : key.same;
}

/// The hash of an upload whose buffer was freed meanwhile.
static void settleFreed(Auditor &a, const Key &key, const ContentHash &content, uint64_t version) {
  LastContent *last = key.direction == CopyDirection::HostToDevice ? a.lastContentOf(key) : nullptr;
  if (!last || last->serial != key.id.serial)
    return;
  last->freed = key.freeSite && key.endVersion == version;
  last->content = content;
  last->freedAt = key.freedAt;
}

/// ... which is known only now: where the device is far behind, that is so of each.
static void noteSentFreed(Auditor &a, Key &key, const ContentHash &content, uint64_t version) {
  if (key.direction != CopyDirection::HostToDevice || !key.freeSite || key.isPiece)
    return;
  const Sent *before = a.sent.find(content, key.id.bytes, key.context());
  const bool isFreed = before && !before->holder && before->untouched && !before->replaced;
  const Resent resent = Auditor::resent(key, content, before ? before->freedAt : 0);
  if (isFreed && before->freedAt <= key.id.serial && !key.isUniform && a.room.has(resent)) {
    a.room.keep(resent);
    Tally &tally = key.elsewhere;
    ++tally.repeats;
    ++tally.hostChecked;
    ++tally.hostUnchanged;
    tally.ticks += key.ticksThen;
    tally.related = before->freeSite;
    ++key.elsewhereFreed;
  }
  if (!before || !before->holder)
    a.sent.putFreed(content, key, key.endVersion == version && !key.lostContent);
}

void Auditor::noteSeen(Key &key, const ContentHash &before, const ContentHash &after,
                       const Looked &at) {
  bool isSameVersion = key.hasSeen && key.seenVersion == at.version;
  if (isSameVersion && key.seen != before && !key.hostCanTouch) // else the host may have done it
    addAnswer(*this, key, key.same, false);
  if (!isSameVersion && at.occurrence > key.seenOccurrence)
    key.same.unseen += at.occurrence - key.seenOccurrence - 1;
  if (!isSameVersion)
    key.quietFrom = 0;
  key.seenOccurrence = std::max(key.seenOccurrence, at.occurrence);
  key.hasSeen = true;
  key.seen = after;
  key.seenVersion = at.version;
}

/// What the memory holds when it goes. That it came from this upload is shown where its bytes are
/// known as well: code that nobody sees may have written since.
static void noteLastContent(Key &key, const ContentHash &content, uint64_t version) {
  bool isKnown = key.hasContent && key.contentVersion == version;
  bool isSent = key.hasHost && key.hostOccurrence == key.occurrences &&
                (key.guess == Guess::None || key.guess == Guess::Confirmed);
  bool isOther = (isKnown && key.content != content) || (isSent && key.host != content);
  key.lostContent = isOther;
  key.hasContent = !isOther;
  key.hasLastContent = !isOther && (isKnown || isSent);
  key.content = content;
  key.contentVersion = version;
}

static void noteRound(Key &key, const ContentHash &content) {
  key.hasRoundNews |= key.hasRoundSeen && key.roundSeen != content;
  key.hasRoundSeen = true;
  key.roundSeen = content;
}

/// What the last upload had brought was there no more, and neither copy nor set came in between:
/// kernels that nobody could read changed it, and this upload may restore it.
static bool isRestored(const Key &key, const Reading &reading, uint64_t occurrence) {
  bool isSent = key.hasHost && key.hostOccurrence + 1 == occurrence &&
                (key.guess == Guess::None || key.guess == Guess::Confirmed);
  return isSent && key.copyWrites == key.copyWritesThen && reading.before != key.host;
}

/// Of Question::Same: what lies between it and the last one that the device was asked about is told
/// with it, where nothing may have written in between. Downloads go where the host may write.
static void noteSame(Auditor &a, Key &key, const Reading &reading, const Looked &at) {
  const bool isSame = reading.before == reading.after;
  if (key.direction == CopyDirection::DeviceToHost) {
    if (isSame && at.isQuiet)
      noteQuiet(key, 1);
    noteAsked(key, reading.after);
    return;
  }
  a.noteSeen(key, reading.before, reading.after, at);
  if (isSame && at.isQuiet)
    noteQuiet(key,
              key.quietFrom && at.occurrence > key.quietFrom ? at.occurrence - key.quietFrom : 1);
  key.quietFrom = at.occurrence;
}

/// Other bytes than the last time are news, whatever the host's side holds. Of the same ones the
/// next look tells.
static void noteSource(Auditor &a, Key &key, const ContentHash &content, const Looked &at) {
  if (key.hasAsked && key.asked != content)
    addAnswer(a, key, key.same, false);
  else if (at.occurrence > 1)
    ++a.waste.figures.skipped[unsigned(SkipReason::Budget)];
  noteAsked(key, content);
}

static void noteClosing(Auditor &a, Key &key, const ContentHash &content, const Looked &at) {
  if (key.range && key.direction == CopyDirection::HostToDevice)
    noteLastContent(key, content, at.version);
  if (!key.hasSeen || key.seenVersion != at.version || key.same.unchanged == 0)
    return;
  if (content != key.seen)
    addAnswer(a, key, key.same, false);
  else if (key.quietFrom)
    key.same.quietShown += at.occurrence - key.quietFrom;
  key.quietFrom = 0;
  key.seenOccurrence = at.occurrence;
}

void Auditor::answer(Key &key, Question question, const Reading &reading,
                     const ContentHash &expected, const Looked &at) {
  bool pair = reading.hasBefore && reading.hasAfter;
  if (question == Question::Twin) {
    key.twinKnown = pair && reading.before == reading.after;
    return;
  }
  if (question == Question::Closing) {
    if (reading.hasAfter && key.occurrences == at.occurrence)
      noteClosing(*this, key, reading.after, at);
    return;
  }
  if (question == Question::Source)
    return noteSource(*this, key, reading.before, at);
  if (question == Question::Guess && reading.hasAfter) {
    key.guess = reading.after == expected ? Guess::Confirmed : Guess::Wrong;
    bool isNoted = key.isPiece && key.hasSent && key.sent == expected;
    if (key.guess == Guess::Confirmed && !isNoted)
      noteSent(*this, key, expected, at.version, key.occurrences == 1, key.ticksThen);
    return;
  }
  if (question == Question::First && pair) {
    key.lastLookNs = monotonicNs();
    key.isFirstNoop = reading.before == reading.after && !key.hostCanTouch;
  }
  if (question == Question::Again && reading.hasAfter) {
    addAnswer(*this, key, key.again, reading.after == expected);
    if (reading.after == expected)
      room.keep(resent(key, expected, 0));
  } else if ((question == Question::Same || question == Question::Round) && pair) {
    addAnswer(*this, key, tallyOf(key, question), reading.before == reading.after);
    // Not what had been sent there: somebody whom we do not see has written it since.
    if (expected != ContentHash() && reading.before != expected) {
      ++tallyOf(key, question).interfered;
      key.mayRace = true;
    }
    if (question == Question::Same)
      noteSame(*this, key, reading, at);
    if (question == Question::Round)
      noteRound(key, reading.after);
  }
  if (!reading.hasAfter || key.occurrences != at.occurrence)
    return;
  if (!key.range)
    settleFreed(*this, key, reading.after, at.version);
  if (key.direction != CopyDirection::DeviceToHost) {
    bool isChange = question == Question::Same && pair && reading.before != reading.after;
    bool isNeeded = isChange && !key.mayComeBack() && isRestored(key, reading, at.occurrence);
    if (isNeeded && key.range)
      key.range->written.store(true, std::memory_order_relaxed);
    key.hasContent = true;
    key.content = reading.after;
    key.contentVersion = at.version;
    key.hasHost = key.direction == CopyDirection::HostToDevice;
    key.host = reading.after;
    key.hostOccurrence = at.occurrence;
    // Of memory that something else had been in: not needless there, but maybe sent before. Made
    // anew, it may get other bytes than the one before it, which another line has sent or brought.
    bool isOther = question == Question::Again && reading.after != expected;
    bool counts = question == Question::Content || isOther || (isChange && !isNeeded);
    if (!key.range && counts)
      noteSentFreed(*this, key, reading.after, at.version);
    noteSent(*this, key, reading.after, at.version, counts, key.ticksThen, true);
  }
}

/// Whether a kernel of another stream, launched since and not put behind the two looks, may have
/// written between the first of them and the copy: then they do not tell what the copy changed.
bool Auditor::mayHaveRaced(const Pending &p) {
  if (p.raced)
    return true;
  uint64_t stamp = p.hashes && p.key->range ? p.key->range->writer.load() : 0;
  if (LaunchStamp::order(stamp) <= p.order || LaunchStamp::stream(stamp) == p.stream)
    return false;
  const StreamState *writer = streams.at(LaunchStamp::stream(stamp)), *own = streams.at(p.stream);
  return !writer || !own || !Streams::behindHashes(*writer, *own, p.hashes);
}

/// False: it is not there yet.
bool Auditor::takeAnswer(const Pending &p) {
  if (!p.key)
    return p.engine->arrived(p.ticket);
  Reading reading = p.engine->read(p.ticket);
  const bool needsAfter = p.question != Question::Source;
  const bool needsBefore = p.question != Question::Again && p.question != Question::Content &&
                           p.question != Question::Guess && p.question != Question::Closing;
  if ((needsAfter && !reading.hasAfter) || (needsBefore && !reading.hasBefore))
    return false;
  bool isRound = p.question == Question::Round;
  if ((isRound || p.question == Question::Same) && mayHaveRaced(p)) {
    ++(isRound ? p.key->round : p.key->same).interfered;
    p.key->mayRace = true;
  }
  answer(*p.key, p.question, reading, p.expected, p.at);
  return true;
}

} // namespace gpuinstr::audit
