/**
 * Checks that a run, its instances, its failure context and its live progress show all results, and that its end event
 * was published once.
 */
import { expect } from 'vitest';
import { readProgress } from '#shared/results/runs/live-counters.ts';
import { takeEventsOfRuns } from '#test/harness/events.ts';
import { failed, flaky, passed, type TestState } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import type { service } from '#test/harness/service.ts';

type Stage = Awaited<ReturnType<typeof service>>;

/** The final result of the test with this index. */
export const stateOf = (index: number): TestState => [passed(), failed(), flaky(), passed()][index % 4] ?? passed();

export interface End {
  readonly runId: string;
  readonly about: string;
  readonly payload: Readonly<Record<'overall' | 'failures' | 'flaky', number>>;
}

/** Checks that all ways to read the run show the same results. Returns the expected content of its end event. */
export async function expectWhole(stage: Stage, runId: string, names: readonly string[], about: string): Promise<End> {
  const states = names.map((_, index) => stateOf(index));
  const count = (letter: string) => states.filter(({ _s }) => _s === letter).length;
  const counted = {
    overall: names.length,
    tests: names.length,
    passes: count('passed'),
    failures: count('failed'),
    flaky: states.filter(({ _f }) => _f).length,
  };
  const { completionState, groups, specs } = await read(stage.api, `/runs/${runId}`);
  expect({ completionState, tests: groups[0].tests }, about).toMatchObject({
    completionState: 'COMPLETE',
    tests: counted,
  });
  for (const { instanceId, results } of specs) {
    const { results: own } = await read(stage.api, `/instances/${instanceId}`);
    expect(own.stats, about).toMatchObject({ overall: results.stats.overall, failures: results.stats.failures });
  }
  const context = await read(stage.api, `/context?run_id=${runId}&include_flaky=true`);
  expect(context, about).toMatchObject({ totalFailedTests: counted.failures, totalFlakyTests: counted.flaky });
  const { organizationId, services } = stage;
  expect(await readProgress(services, { organizationId, runId }), about).toMatchObject({
    completionState: 'COMPLETE',
    specFiles: { total: specs.length, complete: specs.length },
    tests: groups[0].tests,
  });
  const { overall, failures, flaky: unstable } = counted;
  return { runId, about, payload: { overall, failures, flaky: unstable } };
}

/** Checks that the end event of each run was published exactly once. */
export async function expectPublished(stage: Stage, ends: readonly End[]): Promise<void> {
  const events = await takeEventsOfRuns(stage);
  const finished = events.filter(({ payload: { event } }) => event === 'RUN_FINISH');
  for (const { runId, about, payload } of ends)
    expect(
      finished.filter((event) => event.runId === runId).map((event) => event.payload),
      about,
    ).toMatchObject([payload]);
}
