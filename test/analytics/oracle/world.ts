/** Records runs through the service, and keeps what was sent for the oracle. */
import { uploadBody } from '#test/harness/recording-batch.ts';
import { clock } from '#test/harness/service.ts';
import { firstBody, instanceBody, laterBody, suiteBody } from './bodies.ts';
import { isFlaky } from './judgement.ts';
import { type ResultPlan, type RunPlan, testOf } from './plan.ts';
import type { Recorder } from './recorder.ts';
import { finalTests } from './selection.ts';
import type { SentGroup, SentInstance, SentRun, SentTest } from './sent.ts';

const TIMEOUT = 31 * 60_000;

/** A test that has not reported its final result. */
interface Missing {
  readonly group: string;
  readonly spec: string;
  readonly test: SentTest;
  readonly recordId?: string;
}

interface Known {
  run: SentRun;
  readonly plan: RunPlan;
  readonly ciBuildId: string;
  missing: readonly Missing[];
}

let builds = 0;

export class World {
  readonly #recorder: Recorder;
  #known: Known[] = [];
  /**
   * How far the read model may lag behind: not at all, by runs that have just ended, or by changes of runs that it
   * already counts.
   */
  lag: 'none' | 'ends' | 'changes' = 'none';

  constructor(recorder: Recorder) {
    this.#recorder = recorder;
  }

  get runs(): readonly SentRun[] {
    return this.#known.map(({ run }) => run);
  }

  async record(plan: RunPlan): Promise<void> {
    clock.advance(1);
    builds += 1;
    const ciBuildId = `build ${builds}`;
    const planned = testsOf(plan, Date.now());
    const missing = plan.missing === 0 ? [] : planned.slice(-plan.missing);
    const sent = planned.slice(0, planned.length - missing.length);
    const { tags, branch, sha, author, groups } = plan;
    const state = { ending: null, endedAt: 0, isDeleted: false } as const;
    const instances = instancesOf(plan);
    const run = { runId: '', createdAt: Date.now(), ...state, tags, branch, sha, ...author, groups, instances };
    const known: Known = { run, plan, ciBuildId, missing };
    await this.#upload(known, sent);
    this.#known = [...this.#known, known];
    this.#ended();
    if (plan.begins) await this.#begin(known);
    if (missing.length > 0 && plan.isCanceled) await this.#cancel(known);
  }

  /** Sends the final results of up to `most` missing tests of a run. `place` selects the run. */
  async finish(place: number, most: number): Promise<void> {
    const known = this.#at(place);
    if (!known || known.run.isDeleted) return;
    const late = known.missing.slice(0, most);
    known.missing = known.missing.slice(late.length);
    for (const one of late.filter(({ recordId }) => recordId !== undefined)) {
      await this.#recorder.update(one.recordId ?? '', laterBody(one.test));
      this.#keep(known, [one]);
    }
    const others = late.filter(({ recordId }) => recordId === undefined);
    if (others.length > 0) await this.#upload(known, others);
    this.lag = 'changes';
  }

  /** Replaces one result of a run. `place` selects the run, and `of` selects the result. */
  async correct(place: number, of: number, plan: ResultPlan): Promise<void> {
    const known = this.#at(place);
    if (!known || known.run.isDeleted) return;
    const final = known.run.instances.flatMap(({ group, spec, tests }) =>
      tests.flatMap((test) => (test.done ? { group, spec, test } : [])),
    );
    const chosen = final[of % Math.max(1, final.length)];
    if (!chosen) return;
    const { title } = chosen.test;
    const test = testOf(plan, { title, edition: known.plan.edition, start: known.run.createdAt });
    await this.#upload(known, [{ ...chosen, test }]);
    this.lag = 'changes';
  }

  async remove(place: number): Promise<void> {
    const known = this.#at(place);
    if (!known || known.run.isDeleted) return;
    await this.#recorder.remove(known.run.runId);
    known.run = { ...known.run, isDeleted: true };
    this.lag = 'changes';
  }

  /** Advances the clock. After 31 minutes or more, all runs in progress time out. */
  async wait(milliseconds: number): Promise<void> {
    clock.advance(milliseconds);
    if (milliseconds < TIMEOUT) return;
    const open = this.#known.filter(({ run }) => run.ending === null && !run.isDeleted);
    if (open.length > 0) await this.#recorder.timeOut();
    for (const known of open) {
      known.run = { ...known.run, ending: 'TIMEOUT', endedAt: Date.now() };
      this.#ended();
    }
  }

  #ended(): void {
    if (this.lag === 'none') this.lag = 'ends';
  }

  #at(place: number): Known | undefined {
    return this.#known[place % Math.max(1, this.#known.length)];
  }

  async #upload(known: Known, tests: readonly Missing[]): Promise<void> {
    const { plan, ciBuildId } = known;
    const suite = suiteBody(plan.groups, testsOf(plan, 0));
    const files = Map.groupBy(tests, ({ group, spec }) => JSON.stringify([group, spec]));
    const instances = [...files.values()].map(instanceBody);
    const { branch, sha, author, tags } = plan;
    const commit = { branch, ...author, sha, message: 'Sell more', remoteOrigin: null, ghaEventData: null };
    const body = uploadBody(this.#recorder, suite, instances, { ciBuildId, tags, commit, group: plan.groups[0]?.name });
    const { runId } = await this.#recorder.upload(body);
    known.run = { ...known.run, runId };
    const before = countersOf(known.run);
    this.#keep(known, tests);
    // A machine that corrects its results after the end ends the run again if it changes the counters.
    const isNews = JSON.stringify(countersOf(known.run)) !== JSON.stringify(before);
    if (known.run.ending === 'COMPLETE' && isNews) known.run = { ...known.run, endedAt: Date.now() };
  }

  /** Adds the tests to the run. The run ends with its last expected test, even if it had timed out before. */
  #keep(known: Known, tests: readonly Missing[]): void {
    let { run } = known;
    for (const { group, spec, test } of tests) {
      const instances = run.instances.map((instance) =>
        instance.group === group && instance.spec === spec ? withTest(instance, test) : instance,
      );
      run = { ...run, instances };
    }
    const isWhole = run.instances.every((one) => one.tests.filter(({ done }) => done).length === one.expected);
    const isOpen = run.ending === null || run.ending === 'TIMEOUT';
    known.run = isWhole && isOpen ? { ...run, ending: 'COMPLETE', endedAt: Date.now() } : run;
  }

  /** A machine claims a spec file without results, and begins its first test. */
  async #begin(known: Known): Promise<void> {
    const { runId, instances } = known.run;
    const file = instances.find(({ tests }) => tests.length === 0);
    const first = known.missing.find(({ group, spec }) => group === file?.group && spec === file?.spec);
    if (!first) return;
    const { group: groupId, spec } = first;
    const { instanceId } = await this.#recorder.claim({ runId, groupId, machineId: 'machine00001', spec });
    const { recordId } = await this.#recorder.create(firstBody({ runId, groupId, instanceId, spec }, first.test));
    this.#keep(known, [{ ...first, test: { ...first.test, attempts: [], done: false } }]);
    const begun = { ...first, recordId };
    known.missing = known.missing.map((one) => (one === first ? begun : one));
  }

  async #cancel(known: Known): Promise<void> {
    await this.#recorder.cancel(known.run.runId);
    known.run = { ...known.run, ending: 'CANCELED', endedAt: Date.now() };
  }
}

/** All tests of a run with their final results. */
function testsOf({ groups, specs, titles, results, edition }: RunPlan, start: number): Missing[] {
  const places = groups.flatMap(({ name }) => specs.flatMap((spec) => titles.map((title) => ({ name, spec, title }))));
  return places.flatMap(({ name, spec, title }, place) => {
    const result = results[place % results.length];
    return result ? { group: name, spec, test: testOf(result, { title, edition, start }) } : [];
  });
}

const instancesOf = ({ groups, specs, titles }: RunPlan): SentInstance[] =>
  groups.flatMap(({ name }: SentGroup) =>
    specs.map((spec) => ({ group: name, spec, isClaimed: false, expected: titles.length, tests: [] })),
  );

function withTest(instance: SentInstance, test: SentTest): SentInstance {
  const isSame = ({ title }: SentTest) => JSON.stringify(title) === JSON.stringify(test.title);
  return { ...instance, isClaimed: true, tests: [...instance.tests.filter((one) => !isSame(one)), test] };
}

const countersOf = ({ groups, instances }: SentRun) =>
  groups.map(({ name }) => {
    const tests = instances.filter(({ group }) => group === name).flatMap(finalTests);
    const outcomes = (['passed', 'failed', 'pending', 'skipped'] as const).map(
      (outcome) => tests.filter((one) => one.outcome === outcome).length,
    );
    const retries = tests.reduce((sum, { attempts }) => sum + Math.max(0, attempts.length - 1), 0);
    return [...outcomes, tests.filter(isFlaky).length, retries];
  });
