#include "server/models/model_table.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <utility>

#include "server/base/allocator.h"
#include "server/models/pivot_engine.h"

namespace dragoman {
namespace {

// The sums below name every field of `to`: a field that is added to one of these structs does not
// compile here until it is named, and so decided on.

void AddCounts(const SegmentCounts& from, SegmentCounts* to) {
  auto& [accepted, eos, length, constraints_unmet, no_output, cancelled, deadline, error, waiting,
         running] = *to;
  accepted += from.accepted;
  eos += from.eos;
  length += from.length;
  constraints_unmet += from.constraints_unmet;
  no_output += from.no_output;
  cancelled += from.cancelled;
  deadline += from.deadline;
  error += from.error;
  waiting += from.waiting;
  running += from.running;
}

// The device is the same one, so its two names stay.
void AddDevice(const DeviceMemory& from, DeviceMemory* to) {
  auto& [device, device_name, weights, kv, workspace, kv_resident] = *to;
  weights += from.weights;
  kv += from.kv;
  workspace += from.workspace;
  kv_resident += from.kv_resident;
}

void AddMemory(const std::vector<DeviceMemory>& from, std::vector<DeviceMemory>* to) {
  for (const DeviceMemory& memory : from) {
    const auto at = std::find_if(to->begin(), to->end(), [&](const DeviceMemory& known) {
      return known.device == memory.device;
    });
    if (at == to->end()) {
      to->push_back(memory);
    } else {
      AddDevice(memory, &*at);
    }
  }
}

// Adds the numbers of two versions of a model: their sums, or the worse of both.
void AddStats(const EngineStats& from, EngineStats* to) {
  auto& [segments, requests_waiting, requests_running, queue_segments, queue_tokens,
         queue_segment_capacity, queue_token_capacity, queue_oldest_age, encoded_segments,
         encoded_tokens, encoded_segment_capacity, encoded_oldest_age, rows, row_capacity,
         kv_self_usage, kv_cross_usage, memory, detokenize_backlog, last_step, stalled,
         live_workers] = *to;
  AddCounts(from.segments, &segments);
  requests_waiting += from.requests_waiting;
  requests_running += from.requests_running;
  queue_segments += from.queue_segments;
  queue_tokens += from.queue_tokens;
  queue_segment_capacity += from.queue_segment_capacity;
  queue_token_capacity += from.queue_token_capacity;
  queue_oldest_age = std::max(queue_oldest_age, from.queue_oldest_age);
  encoded_segments += from.encoded_segments;
  encoded_tokens += from.encoded_tokens;
  encoded_segment_capacity += from.encoded_segment_capacity;
  encoded_oldest_age = std::max(encoded_oldest_age, from.encoded_oldest_age);
  rows += from.rows;
  row_capacity += from.row_capacity;
  kv_self_usage = std::max(kv_self_usage, from.kv_self_usage);
  kv_cross_usage = std::max(kv_cross_usage, from.kv_cross_usage);
  AddMemory(from.memory, &memory);
  detokenize_backlog += from.detokenize_backlog;
  last_step = std::max(last_step, from.last_step);
  stalled = stalled || from.stalled;
  live_workers += from.live_workers;
}

}  // namespace

struct ModelTable::Registry {
  // While it is held, no version ends. The thread that lets go of a model may hold the engine's
  // locks: so this one, and not `mu`, is held where engines are called.
  Mutex hold;
  // The record of a name, which is kept as long as a version of it exists.
  struct Name {
    int versions = 0;     // how many were put
    SegmentCounts ended;  // the counts of versions that have ended
  };
  std::map<std::string, Name> names ABSL_GUARDED_BY(hold);

  Mutex mu;
  CondVar changed;
  // Every version that exists. They are taken out with `hold` held as well.
  std::set<const ServedModel*> live ABSL_GUARDED_BY(mu);
  // The versions among them that nobody holds any more.
  std::deque<const ServedModel*> dead ABSL_GUARDED_BY(mu);
  // How many versions are no longer live and not destroyed yet.
  int ending ABSL_GUARDED_BY(mu) = 0;
  bool stop ABSL_GUARDED_BY(mu) = false;

  std::vector<const ServedModel*> Live() {
    MutexLock lock(&mu);
    return {live.begin(), live.end()};
  }
};

ModelTable::ModelTable(const Clock* clock, std::vector<std::string> names,
                       std::vector<PivotSettings> pivots)
    : clock_(clock),
      names_(std::move(names)),
      pivots_(std::move(pivots)),
      timer_(clock),
      registry_(std::make_shared<Registry>()),
      ender_([this] { EndUnheld(); }) {
  if (!pivots_.empty()) timer_.Start();
}

ModelTable::~ModelTable() {
  OnChange(nullptr);
  CancelAll(CancelCause::kDrain);
  Publish({});
  {
    MutexLock lock(&registry_->mu);
    while (!registry_->live.empty()) registry_->changed.Wait(&registry_->mu);
    registry_->stop = true;
    registry_->changed.NotifyAll();
  }
  ender_.join();
}

void ModelTable::EndUnheld() {
  while (true) {
    const ServedModel* model = nullptr;
    {
      MutexLock lock(&registry_->mu);
      while (registry_->dead.empty() && !registry_->stop) registry_->changed.Wait(&registry_->mu);
      if (registry_->dead.empty()) return;
      model = registry_->dead.front();
      registry_->dead.pop_front();
    }
    {
      MutexLock hold(&registry_->hold);
      if (!model->is_pivot()) {
        // Its jobs have ended; segments of cancelled ones that are still in the batch go with it.
        SegmentCounts counts = model->engine->Stats().segments;
        counts.cancelled += counts.waiting + counts.running;
        counts.waiting = 0;
        counts.running = 0;
        AddCounts(counts, &registry_->names[model->name].ended);
      }
      MutexLock lock(&registry_->mu);
      registry_->live.erase(model);
      ++registry_->ending;
      const bool is_last =
          std::none_of(registry_->live.begin(), registry_->live.end(),
                       [model](const ServedModel* other) { return other->name == model->name; });
      if (is_last) registry_->names.erase(model->name);
    }
    delete model;
    GiveBackFreeMemory();
    MutexLock lock(&registry_->mu);
    --registry_->ending;
    registry_->changed.NotifyAll();
  }
}

ModelPtr ModelTable::Share(ServedModel model) {
  auto made = std::make_unique<ServedModel>(std::move(model));
  {
    MutexLock lock(&registry_->mu);
    registry_->live.insert(made.get());
  }
  return ModelPtr(made.release(), [registry = registry_](const ServedModel* ended) {
    MutexLock lock(&registry->mu);
    registry->dead.push_back(ended);
    registry->changed.NotifyAll();
  });
}

ModelPtr ModelTable::ShareNextVersion(ServedModel model) {
  // While it is held no version of that name ends, and the number stays right.
  MutexLock hold(&registry_->hold);
  const int versions = registry_->names[model.name].versions;
  model.version = (versions == 0 ? last_removed_ : versions) + 1;
  return Share(std::move(model));
}

size_t ModelTable::RankOf(const std::string& name) const {
  return static_cast<size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
}

absl::StatusOr<std::vector<ModelPtr>> ModelTable::WithPivots(std::vector<ModelPtr> direct) {
  const std::vector<ModelPtr> before = models();
  const auto find = [](const std::vector<ModelPtr>& models, const std::string& name) -> ModelPtr {
    for (const ModelPtr& model : models) {
      if (model->name == name) return model;
    }
    return nullptr;
  };
  std::vector<ModelPtr> all = direct;
  for (const PivotSettings& pivot : pivots_) {
    const std::vector<ModelPtr> legs = {find(direct, pivot.first), find(direct, pivot.second)};
    if (legs[0] == nullptr || legs[1] == nullptr) continue;
    const ModelPtr known = find(before, pivot.name);
    if (known != nullptr && known->legs == legs) {
      all.push_back(known);
      continue;
    }
    auto engine = PivotEngine::Create(pivot.name, *legs[0], *legs[1], clock_, &timer_);
    if (!engine.ok()) return engine.status();
    ServedModel made;
    made.name = pivot.name;
    made.loaded_at = std::max(legs[0]->loaded_at, legs[1]->loaded_at);
    made.legs = legs;
    made.engine = *std::move(engine);
    all.push_back(Share(std::move(made)));
  }
  return all;
}

absl::StatusOr<ModelPtr> ModelTable::Put(ServedModel model) {
  std::vector<ModelPtr> direct;
  for (const ModelPtr& known : models()) {
    if (!known->is_pivot() && known->name != model.name) direct.push_back(known);
  }
  const ModelPtr added = ShareNextVersion(std::move(model));
  const size_t rank = RankOf(added->name);
  const auto at = std::find_if(direct.begin(), direct.end(),
                               [&](const ModelPtr& other) { return RankOf(other->name) > rank; });
  direct.insert(at, added);
  absl::StatusOr<std::vector<ModelPtr>> all = WithPivots(std::move(direct));
  if (!all.ok()) return all.status();
  {
    MutexLock hold(&registry_->hold);
    registry_->names[added->name].versions = added->version;
  }
  Note(added->name, ModelState::kServing);
  Publish(*std::move(all));
  return added;
}

bool ModelTable::Remove(std::string_view name) {
  const auto is_removed = [name](const ModelPtr& model) {
    return !model->is_pivot() && model->name == name;
  };
  std::vector<ModelPtr> rest;
  bool found = false;
  for (const ModelPtr& known : models()) {
    found |= is_removed(known);
    // Pivots over the model go with it.
    const bool goes =
        is_removed(known) || std::any_of(known->legs.begin(), known->legs.end(), is_removed);
    if (!goes) rest.push_back(known);
  }
  ForgetFailure(std::string(name));
  if (!found) return false;
  {
    MutexLock hold(&registry_->hold);
    last_removed_ = std::max(last_removed_, registry_->names[std::string(name)].versions);
  }
  Publish(std::move(rest));
  return true;
}

void ModelTable::Publish(std::vector<ModelPtr> models) {
  std::vector<std::pair<std::string, bool>> changes;
  Change change;
  {
    MutexLock lock(&mu_);
    for (const ModelPtr& old : models_) {
      const bool stays = std::any_of(models.begin(), models.end(), [&](const ModelPtr& model) {
        return model->name == old->name;
      });
      if (!stays) changes.emplace_back(old->name, false);
    }
    for (const ModelPtr& model : models) changes.emplace_back(model->name, true);
    models_.swap(models);
    change = change_;
  }
  // The old models are let go of with `models`, without the lock.
  if (!change) return;
  for (const auto& [name, served] : changes) change(name, served);
}

ModelPtr ModelTable::Find(std::string_view name) const {
  MutexLock lock(&mu_);
  for (const ModelPtr& model : models_) {
    if (model->name == name) return model;
  }
  return nullptr;
}

std::vector<ModelPtr> ModelTable::models() const {
  MutexLock lock(&mu_);
  return models_;
}

void ModelTable::Forget(const std::string& name) {
  notes_.erase(name);
  failures_.erase(std::remove(failures_.begin(), failures_.end(), name), failures_.end());
}

void ModelTable::Note(const std::string& name, ModelState state) {
  MutexLock lock(&mu_);
  Forget(name);
  if (state == ModelState::kServing) return;
  notes_[name] = state;
  const bool is_served =
      std::any_of(models_.begin(), models_.end(),
                  [&name](const ModelPtr& model) { return model->name == name; });
  if (state != ModelState::kFailed || is_served) return;
  failures_.push_back(name);
  if (failures_.size() > kMaxFailures) Forget(std::string(failures_.front()));
}

bool ModelTable::ForgetFailure(const std::string& name) {
  MutexLock lock(&mu_);
  const auto note = notes_.find(name);
  if (note == notes_.end() || note->second != ModelState::kFailed) return false;
  Forget(name);
  return true;
}

std::vector<ModelTable::Entry> ModelTable::Entries() const {
  std::vector<Entry> entries;
  for (ModelPtr& model : models()) {
    const ServedModel& served = *model;
    entries.push_back({served.name, ModelState::kServing, served.version, std::move(model)});
  }
  const size_t serving = entries.size();
  {
    MutexLock hold(&registry_->hold);
    for (const ServedModel* version : registry_->Live()) {
      const bool present =
          std::any_of(entries.begin(), entries.begin() + static_cast<ptrdiff_t>(serving),
                      [version](const Entry& entry) { return entry.model.get() == version; });
      if (!present && !version->is_pivot()) {
        entries.push_back({version->name, ModelState::kDraining, version->version, nullptr});
      }
    }
  }
  MutexLock lock(&mu_);
  for (const auto& [name, state] : notes_) entries.push_back({name, state, 0, nullptr});
  return entries;
}

void ModelTable::OnChange(Change change) {
  std::vector<ModelPtr> present;
  {
    MutexLock lock(&mu_);
    change_ = change;
    present = models_;
  }
  if (!change) return;
  for (const ModelPtr& model : present) change(model->name, true);
}

std::vector<ModelStats> ModelTable::Stats() const {
  const std::vector<ModelPtr> present = models();
  std::vector<ModelStats> out;
  const auto of = [&out](const std::string& name) -> ModelStats& {
    for (ModelStats& stats : out) {
      if (stats.name == name) return stats;
    }
    out.emplace_back().name = name;
    return out.back();
  };
  for (const ModelPtr& model : present) {
    if (model->is_pivot()) continue;
    const ModelInfo& info = model->engine->info();
    ModelStats& stats = of(model->name);
    stats.family = info.family;
    stats.device = info.device;
    stats.compute_type = info.compute_type;
    stats.checksum = model->checksum;
    stats.version = model->version;
    stats.load_duration = model->load_duration;
  }
  MutexLock hold(&registry_->hold);
  for (const ServedModel* version : registry_->Live()) {
    if (!version->is_pivot()) AddStats(version->engine->Stats(), &of(version->name).stats);
  }
  for (ModelStats& stats : out) {
    const auto known = registry_->names.find(stats.name);
    if (known != registry_->names.end()) AddCounts(known->second.ended, &stats.stats.segments);
  }
  return out;
}

void ModelTable::CancelAll(CancelCause cause) {
  MutexLock hold(&registry_->hold);
  // Pivots come first: a job that is cancelled in a model that they go through would go on
  // otherwise.
  const std::vector<const ServedModel*> live = registry_->Live();
  for (const bool pivots : {true, false}) {
    for (const ServedModel* version : live) {
      if (version->is_pivot() == pivots) version->engine->CancelAll(cause);
    }
  }
}

int64_t ModelTable::jobs_in_flight() const {
  MutexLock hold(&registry_->hold);
  int64_t jobs = 0;
  for (const ServedModel* version : registry_->Live()) jobs += version->engine->jobs_in_flight();
  return jobs;
}

bool ModelTable::WaitEnded(std::chrono::nanoseconds timeout) {
  std::set<const ServedModel*> present;
  for (const ModelPtr& model : models()) present.insert(model.get());
  const auto end = std::chrono::steady_clock::now() + timeout;
  MutexLock lock(&registry_->mu);
  while (registry_->live != present || registry_->ending > 0) {
    const auto left = end - std::chrono::steady_clock::now();
    if (left <= std::chrono::nanoseconds::zero()) return false;
    registry_->changed.WaitFor(&registry_->mu, left);
  }
  return true;
}

}  // namespace dragoman
