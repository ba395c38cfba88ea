#include "server/models/model_table.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/thread_name.h"
#include "server/base/allocator.h"
#include "server/models/pivot_engine.h"
#include "server/models/version_stats.h"

namespace dragoman::server {
struct ModelTable::Registry {
  // While `hold` is locked, no version is destroyed. A thread that releases a model locks `mu`, and
  // it may already have locks of the engine. So engines are called with `hold` locked, but never
  // with `mu` locked.
  engine::Mutex hold;
  // The number of the latest version of each name. Kept while a version of the name exists.
  std::map<std::string, int> versions ABSL_GUARDED_BY(hold);
  // The counts of destroyed versions, by name. Kept while a version of the name exists.
  std::map<std::string, engine::SegmentCounts> ended ABSL_GUARDED_BY(hold);

  engine::Mutex mu;
  engine::CondVar changed;
  // Every version that exists. Versions are removed only with both locks held.
  std::set<const ServedModel*> live ABSL_GUARDED_BY(mu);
  // The live versions to which no ModelPtr refers any more.
  std::deque<const ServedModel*> dead ABSL_GUARDED_BY(mu);
  // The number of versions that are no longer in `live` but not destroyed yet.
  int ending ABSL_GUARDED_BY(mu) = 0;
  bool stop ABSL_GUARDED_BY(mu) = false;

  std::vector<const ServedModel*> Live() {
    engine::MutexLock lock(&mu);
    return {live.begin(), live.end()};
  }

  void ForgetUnused() ABSL_EXCLUSIVE_LOCKS_REQUIRED(hold) {
    std::set<std::string> names;
    for (const ServedModel* version : Live()) names.insert(version->name);
    std::erase_if(versions, [&](const auto& known) { return !names.contains(known.first); });
    std::erase_if(ended, [&](const auto& known) { return !names.contains(known.first); });
  }
};

ModelTable::ModelTable(const engine::Clock* clock, std::vector<std::string> names,
                       std::vector<PivotSettings> pivots)
    : clock_(clock),
      timer_(clock),
      registry_(std::make_shared<Registry>()),
      names_(std::move(names)),
      pivots_(std::move(pivots)),
      ender_([this] {
        engine::NameThisThread("model end");
        EndUnheld();
      }) {
  timer_.Start();
}

ModelTable::~ModelTable() {
  OnChange(nullptr);
  CancelAll(engine::CancelCause::kDrain);
  Publish({});
  {
    engine::MutexLock lock(&registry_->mu);
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
      engine::MutexLock lock(&registry_->mu);
      while (registry_->dead.empty() && !registry_->stop) registry_->changed.Wait(&registry_->mu);
      if (registry_->dead.empty()) return;
      model = registry_->dead.front();
      registry_->dead.pop_front();
    }
    {
      engine::MutexLock hold(&registry_->hold);
      if (!model->is_pivot()) {
        // The version's jobs have ended. Segments of cancelled jobs that are still in the batch
        // count as cancelled.
        engine::SegmentCounts counts = model->engine->Stats().segments;
        counts.cancelled += counts.waiting + counts.running;
        counts.waiting = 0;
        counts.running = 0;
        AddCounts(counts, &registry_->ended[model->name]);
      }
      {
        engine::MutexLock lock(&registry_->mu);
        registry_->live.erase(model);
        ++registry_->ending;
      }
      registry_->ForgetUnused();
    }
    delete model;
    GiveBackFreeMemory();
    engine::MutexLock lock(&registry_->mu);
    --registry_->ending;
    registry_->changed.NotifyAll();
  }
}

ModelPtr ModelTable::Share(ServedModel model) {
  auto made = std::make_unique<ServedModel>(std::move(model));
  made->languages = LanguagesOfPairs(made->engine->info().pairs);
  {
    engine::MutexLock lock(&registry_->mu);
    registry_->live.insert(made.get());
  }
  return ModelPtr(made.release(), [registry = registry_](const ServedModel* ended) {
    engine::MutexLock lock(&registry->mu);
    registry->dead.push_back(ended);
    registry->changed.NotifyAll();
  });
}

ModelPtr ModelTable::ShareNextVersion(ServedModel model) {
  // Keeps versions of this name from being destroyed now. The end of the last version would delete
  // the name's version number.
  engine::MutexLock hold(&registry_->hold);
  const int versions = registry_->versions[model.name];
  model.version = (versions == 0 ? last_removed_ : versions) + 1;
  return Share(std::move(model));
}

size_t ModelTable::RankOf(const std::string& name) const {
  return static_cast<size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
}

absl::StatusOr<std::vector<ModelPtr>> ModelTable::WithPivots(std::vector<ModelPtr> direct) {
  const std::vector<ModelPtr> before = models();
  std::vector<ModelPtr> all = direct;
  for (const PivotSettings& pivot : pivots_) {
    const std::vector<ModelPtr> legs = {FindByName(direct, pivot.first),
                                        FindByName(direct, pivot.second)};
    if (legs[0] == nullptr || legs[1] == nullptr) continue;
    const ModelPtr known = FindByName(before, pivot.name);
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
  const ModelPtr added = ShareNextVersion(std::move(model));
  std::vector<ModelPtr> direct;
  for (const ModelPtr& known : models()) {
    if (!known->is_pivot() && known->name != added->name) direct.push_back(known);
  }
  const size_t rank = RankOf(added->name);
  const auto at = std::find_if(direct.begin(), direct.end(),
                               [&](const ModelPtr& other) { return RankOf(other->name) > rank; });
  direct.insert(at, added);
  absl::StatusOr<std::vector<ModelPtr>> all = WithPivots(std::move(direct));
  if (!all.ok()) return all.status();
  {
    engine::MutexLock hold(&registry_->hold);
    registry_->versions[added->name] = added->version;
  }
  Note(added->name, ModelState::kServing);
  Publish(*std::move(all));
  return added;
}

absl::Status ModelTable::Configure(std::vector<std::string> names,
                                   std::vector<PivotSettings> pivots) {
  names_.swap(names);
  pivots_.swap(pivots);
  std::vector<ModelPtr> direct;
  for (const ModelPtr& known : models()) {
    if (!known->is_pivot()) direct.push_back(known);
  }
  std::stable_sort(direct.begin(), direct.end(), [this](const ModelPtr& a, const ModelPtr& b) {
    return RankOf(a->name) < RankOf(b->name);
  });
  absl::StatusOr<std::vector<ModelPtr>> all = WithPivots(std::move(direct));
  if (!all.ok()) {
    names_.swap(names);
    pivots_.swap(pivots);
    return all.status();
  }
  Publish(*std::move(all));
  return absl::OkStatus();
}

bool ModelTable::Remove(std::string_view name) {
  const auto is_removed = [name](const ModelPtr& model) {
    return !model->is_pivot() && model->name == name;
  };
  std::vector<ModelPtr> rest;
  bool found = false;
  for (const ModelPtr& known : models()) {
    found |= is_removed(known);
    // Removes the pivots through the model, too.
    const bool goes =
        is_removed(known) || std::any_of(known->legs.begin(), known->legs.end(), is_removed);
    if (!goes) rest.push_back(known);
  }
  ForgetFailure(std::string(name));
  if (!found) return false;
  {
    engine::MutexLock hold(&registry_->hold);
    last_removed_ = std::max(last_removed_, registry_->versions[std::string(name)]);
  }
  Publish(std::move(rest));
  return true;
}

void ModelTable::Publish(std::vector<ModelPtr> models) {
  std::vector<std::pair<std::string, bool>> changes;
  Change change;
  {
    engine::MutexLock lock(&mu_);
    for (const ModelPtr& old : models_) {
      if (FindByName(models, old->name) == nullptr) changes.emplace_back(old->name, false);
    }
    for (const ModelPtr& model : models) changes.emplace_back(model->name, true);
    models_.swap(models);
    change = change_;
  }
  // `models` now has the old models. They are released without the lock.
  if (!change) return;
  for (const auto& [name, served] : changes) change(name, served);
}

ModelPtr ModelTable::Find(std::string_view name) const {
  engine::MutexLock lock(&mu_);
  return FindByName(models_, name);
}

std::vector<ModelPtr> ModelTable::models() const {
  engine::MutexLock lock(&mu_);
  return models_;
}

void ModelTable::Forget(const std::string& name) {
  notes_.erase(name);
  failures_.erase(std::remove(failures_.begin(), failures_.end(), name), failures_.end());
}

void ModelTable::Note(const std::string& name, ModelState state) {
  engine::MutexLock lock(&mu_);
  Forget(name);
  if (state == ModelState::kServing) return;
  notes_[name] = state;
  if (state != ModelState::kFailed || FindByName(models_, name) != nullptr) return;
  failures_.push_back(name);
  if (failures_.size() > kMaxFailures) Forget(std::string(failures_.front()));
}

bool ModelTable::ForgetFailure(const std::string& name) {
  engine::MutexLock lock(&mu_);
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
    engine::MutexLock hold(&registry_->hold);
    for (const ServedModel* version : registry_->Live()) {
      const bool present =
          std::any_of(entries.begin(), entries.begin() + static_cast<ptrdiff_t>(serving),
                      [version](const Entry& entry) { return entry.model.get() == version; });
      if (!present && !version->is_pivot()) {
        entries.push_back({version->name, ModelState::kDraining, version->version, nullptr});
      }
    }
  }
  engine::MutexLock lock(&mu_);
  for (const auto& [name, state] : notes_) entries.push_back({name, state, 0, nullptr});
  return entries;
}

void ModelTable::OnChange(Change change) {
  std::vector<ModelPtr> present;
  {
    engine::MutexLock lock(&mu_);
    change_ = change;
    present = models_;
  }
  if (!change) return;
  for (const ModelPtr& model : present) change(model->name, true);
}

std::vector<ModelStats> ModelTable::Stats() const {
  const std::vector<ModelPtr> present = models();
  std::vector<ModelStats> out;
  engine::MutexLock hold(&registry_->hold);
  const auto of = [&out](const std::string& name) -> ModelStats& {
    for (ModelStats& stats : out) {
      if (stats.name == name) return stats;
    }
    out.emplace_back().name = name;
    return out.back();
  };
  for (const ModelPtr& model : present) {
    if (model->is_pivot()) continue;
    const engine::ModelInfo& info = model->engine->info();
    ModelStats& stats = of(model->name);
    stats.family = info.family;
    stats.device = info.device;
    stats.compute_type = info.compute_type;
    stats.checksum = model->checksum;
    stats.version = model->version;
    stats.load_duration = model->load_duration;
  }
  for (const ServedModel* version : registry_->Live()) {
    if (version->is_pivot()) continue;
    AddStats(version->engine->Stats(), &of(version->name).stats);
  }
  for (ModelStats& stats : out) {
    const auto known = registry_->ended.find(stats.name);
    if (known != registry_->ended.end()) AddCounts(known->second, &stats.stats.segments);
  }
  return out;
}

void ModelTable::CancelAll(engine::CancelCause cause) {
  engine::MutexLock hold(&registry_->hold);
  // Pivots are cancelled first, because a pivot's job would go on after its part in a model was
  // cancelled.
  const std::vector<const ServedModel*> live = registry_->Live();
  for (const bool pivots : {true, false}) {
    for (const ServedModel* version : live) {
      if (version->is_pivot() == pivots) version->engine->CancelAll(cause);
    }
  }
}

int64_t ModelTable::jobs_in_flight() const {
  engine::MutexLock hold(&registry_->hold);
  int64_t jobs = 0;
  for (const ServedModel* version : registry_->Live()) jobs += version->engine->jobs_in_flight();
  return jobs;
}

bool ModelTable::WaitEnded(std::chrono::nanoseconds timeout) {
  std::set<const ServedModel*> present;
  for (const ModelPtr& model : models()) present.insert(model.get());
  const auto end = std::chrono::steady_clock::now() + timeout;
  engine::MutexLock lock(&registry_->mu);
  while (registry_->live != present || registry_->ending > 0) {
    if (!registry_->changed.WaitUntil(&registry_->mu, end)) return false;
  }
  return true;
}

}  // namespace dragoman::server
