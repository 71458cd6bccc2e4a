import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { announceRecordedFiles } from '#shared/recording/own/announce-recorded-files.ts';
import { endMachine } from '#shared/recording/own/end-machine.ts';
import { recordBatch } from '#shared/recording/own/record-batch.ts';
import { BatchBody, EndMachineBody, FilesBody, StartRecordingBody } from '#shared/recording/own/recording-wire.ts';
import { startRecording } from '#shared/recording/own/start-recording.ts';
import { readProgress } from '#shared/results/runs/live-counters.ts';
import type { Services } from '#shared/services.ts';
import { marksCorrection } from '#test/harness/analytics.ts';
import { cases } from '#test/harness/cases.ts';
import { dyingAfter } from '#test/harness/interrupted-table.ts';
import { interruptions } from '#test/harness/interruptions.ts';
import {
  dataOf,
  liveGroup,
  liveInstances,
  sendBatch,
  sendEnd,
  sendStart,
  startBody,
} from '#test/harness/live-recording.ts';
import { failed, flaky, passed, pending, type TestName, type TestState } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { clock, FAR_FUTURE, service } from '#test/harness/service.ts';
import { type End, expectPublished, expectWhole, stateOf } from './whole-run.ts';

type Stage = Awaited<ReturnType<typeof service>>;

const SUMS = 'cart.spec.ts > sums';
const REFUSES = 'cart.spec.ts > refuses';
const ROUNDS = 'tax.spec.ts > rounds';
const NETS = 'tax.spec.ts > nets';
const TESTS = [SUMS, REFUSES, ROUNDS, NETS];
const RESULTS = { [SUMS]: passed(), [REFUSES]: failed(), [ROUNDS]: flaky(), [NETS]: pending() };

/**
 * Hides what may differ after a repeated request: versions of counters, a digest that depends on the order of map
 * entries, a mark that makes analytics read the run again, and the lock of an interrupted start, which expires.
 */
const normal = (line: string): string => {
  if (line.includes('"pk":{"S":"START#')) return '';
  if (marksCorrection(line)) return '';
  const counted = line.replaceAll(/"version":\{"N":"\d+"\}/g, '"version":"any"');
  if (line.includes('"pk":{"S":"PROGRESS#')) return counted.replaceAll(/(?<="S":")[0-9a-v]{8}(?=\d+\.)/g, 'version ');
  return counted.replace(/"digest":\{"S":"[\w-]+"\}/, '"digest":"any"');
};

/** Creates an organization, and returns the requests of a recording as functions that run with any services. */
async function requests() {
  clock.set(FAR_FUTURE);
  const tenant = await service();
  const { organizationId, projectId, environment, services } = tenant;
  const start = (on: Services, machine: object = {}) => {
    const groups = [liveGroup('retail', TESTS), liveGroup('wholesale', [SUMS])];
    const body = StartRecordingBody.parse(startBody(groups, machine));
    return startRecording(on, { organizationId, projectId, body });
  };
  const of = (runId: string) => ({
    batch: (on: Services, sequence: number, instances: readonly object[], machine: object = {}) => {
      const body = BatchBody.parse({ machineId: 'm1', sequence, instances, ...machine });
      return recordBatch(on, { organizationId, runId, body });
    },
    files: (on: Services, files: readonly object[]) =>
      announceRecordedFiles(on, { organizationId, runId, body: FilesBody.parse({ machineId: 'm1', files }) }),
    end: (on: Services, machine: object) => {
      const body = EndMachineBody.parse({ machineId: 'm1', batches: 1, ...machine });
      return endMachine(on, { organizationId, runId, body });
    },
    run: () => read(tenant.api, `/runs/${runId}`),
  });
  const everything = [...liveInstances('retail', RESULTS), ...liveInstances('wholesale', { [SUMS]: passed() })];
  return { environment, services, start, of, everything };
}

describe('A request that is killed between two writes and then repeated', () => {
  const unchanged = { differing: [], repeated: [] };

  test('A killed and repeated start of a run stores the same rows as an uninterrupted one', async () => {
    const { environment, services, start } = await requests();
    const found = await interruptions({ environment, services, handle: (on) => start(on), normal });
    expect(found).toMatchObject(unchanged);
    expect(found.writes).toBeGreaterThan(10);
  });

  test.each([
    // The machine has ended with a wrong number of batches, so that the last result ends the run.
    ['completes the run', true, 'COMPLETE'],
    ['leaves the run open', false, 'IN_PROGRESS'],
  ])(
    'A killed and repeated batch that %s stores the same rows as an uninterrupted one',
    async (_, hasEnded, completionState) => {
      const { environment, services, start, of, everything } = await requests();
      const { batch, end, run } = of((await start(services)).runId);
      if (hasEnded) await end(services, { batches: 0 });
      const handle = (on: Services) => batch(on, 0, everything);
      const found = await interruptions({ environment, services, handle, normal });
      expect(found).toMatchObject(unchanged);
      expect(found.writes).toBeGreaterThan(10);
      await handle(services);
      expect(await run()).toMatchObject({ completionState });
    },
  );

  test('A killed and repeated announcement of files stores the same rows as an uninterrupted one', async () => {
    const { environment, services, start, of, everything } = await requests();
    const { batch, files } = of((await start(services)).runId);
    await batch(services, 0, everything);
    const file = { groupId: 'retail', spec: 'cart.spec.ts', name: 'end', contentType: 'image/png', bytes: 7 };
    const sent = [
      { ...file, type: 'screenshot', sha256: 'a'.repeat(64) },
      { ...file, type: 'attachment', sha256: 'b'.repeat(64) },
    ];
    const found = await interruptions({ environment, services, handle: (on) => files(on, sent), normal });
    expect(found).toMatchObject(unchanged);
  });

  test.each([
    ['of the last machine', { machines: 2 }, { machines: 2, failed: true, errors: ['Error: no tests'] }, 3],
    ['that fails a run after its end', { machines: 1 }, { failed: true }, 3],
  ])('A killed and repeated end %s stores the same rows as an uninterrupted one', async (_, earlier, ended, sample) => {
    const { environment, services, start, of } = await requests();
    const { batch, end, run } = of((await start(services)).runId);
    await start(services, { machineId: 'm2' });
    const passes = Object.fromEntries(TESTS.map((name) => [name, passed()]));
    const sent = [...liveInstances('retail', passes), ...liveInstances('wholesale', { [SUMS]: passed() })];
    await batch(services, 0, sent);
    await end(services, { machineId: 'm2', batches: 0, ...earlier });
    const handle = (on: Services) => end(on, ended);
    const found = await interruptions({ environment, services, handle, normal, sample });
    expect(found).toMatchObject(unchanged);
    await handle(services);
    expect(await run()).toMatchObject({ completionState: 'COMPLETE', status: 'FAILED' });
  });
});

// The property test. Its oracle knows only which requests were sent and acknowledged.

interface Step {
  readonly machine: number;
  readonly request: 'batch' | 'end';
  readonly sequence: number;
  /** The number of writes after which the process that handles this request dies, or `null` if it survives. */
  readonly dies: number | null;
}

interface Play {
  readonly machines: number;
  readonly files: number;
  readonly tests: number;
  readonly perBatch: number;
  /** Whether the machines name their tests at the start. Some frameworks find them while they run. */
  readonly announces: boolean;
  /** The number of concurrent requests. */
  readonly width: number;
  readonly steps: readonly Step[];
}

type Batch = Readonly<Record<TestName, TestState>>;

/** What a machine sends: its tests, split into batches. */
interface Plan {
  readonly machineId: string;
  readonly tests: readonly TestName[];
  readonly batches: readonly Batch[];
}

function planOf({ machines, files, tests, perBatch }: Pick<Play, 'machines' | 'files' | 'tests' | 'perBatch'>): {
  names: TestName[];
  plans: Plan[];
} {
  const names = Array.from({ length: machines * tests }, (_, index) => `file-${index % files}.spec.ts > ${index}`);
  const plans = Array.from({ length: machines }, (_, machine): Plan => {
    const own = names.map((name, index) => ({ name, index })).slice(machine * tests, (machine + 1) * tests);
    const batches = Array.from({ length: Math.ceil(tests / perBatch) }, (_, sequence): Batch => {
      const some = own.slice(sequence * perBatch, (sequence + 1) * perBatch);
      return Object.fromEntries(some.map(({ name, index }) => [name, stateOf(index)]));
    });
    const [first] = own;
    // The first test of a machine fails at first. The last batch corrects its result.
    const corrected = first ? [{ [first.name]: failed() }, { [first.name]: stateOf(first.index) }] : [];
    const [early = {}, late] = corrected;
    const [head = {}, ...rest] = batches;
    return {
      machineId: `m${machine}`,
      tests: own.map(({ name }) => name),
      batches: [{ ...head, ...early }, ...rest, ...(late ? [late] : [])],
    };
  });
  return { names, plans };
}

/** An independent model of the protocol: the acknowledged batches, the ended machines, and what follows from both. */
class Oracle {
  readonly #plans: readonly Plan[];
  readonly #received: ReadonlyMap<Plan, Set<number>>;
  readonly #ended = new Set<Plan>();
  /** The tests of batches whose process died. Each of their results may be stored or not. */
  readonly #uncertain = new Set<TestName>();

  constructor(plans: readonly Plan[]) {
    this.#plans = plans;
    this.#received = new Map(plans.map((plan) => [plan, new Set<number>()]));
  }

  missing(plan: Plan, below = plan.batches.length): number[] {
    const received = this.#received.get(plan);
    return Array.from({ length: below }, (_, sequence) => sequence).filter((sequence) => !received?.has(sequence));
  }

  /** A machine corrects a result only after it knows that the earlier result is stored. */
  mayBeSent(plan: Plan, sequence: number): boolean {
    const isCorrection = sequence === plan.batches.length - 1;
    return !isCorrection || this.missing(plan, sequence).length === 0;
  }

  stored(plan: Plan, sequence: number): void {
    this.#received.get(plan)?.add(sequence);
  }

  died(plan: Plan, sequence: number): void {
    for (const name of Object.keys(plan.batches[sequence] ?? {})) this.#uncertain.add(name);
  }

  end(plan: Plan): { missing: number[]; runHasEnded: boolean; waitsForMachines: number } {
    const missing = this.missing(plan);
    if (missing.length === 0) this.#ended.add(plan);
    const waiting = this.#plans.length - this.#ended.size;
    return { missing, runHasEnded: this.hasEnded(), waitsForMachines: missing.length === 0 ? waiting : 0 };
  }

  /** A run ends with its last machine, and not with its last result. */
  hasEnded(): boolean {
    return this.#ended.size === this.#plans.length;
  }

  /** The least and the greatest number of results that may be stored. */
  results(): { least: number; greatest: number } {
    const certain = new Set(
      this.#plans.flatMap((plan) =>
        plan.batches.flatMap((batch, sequence) => (this.#received.get(plan)?.has(sequence) ? Object.keys(batch) : [])),
      ),
    );
    return { least: certain.size, greatest: new Set([...certain, ...this.#uncertain]).size };
  }
}

const play: fc.Arbitrary<Play> = fc.record({
  machines: fc.integer({ min: 1, max: 3 }),
  files: fc.integer({ min: 1, max: 3 }),
  tests: fc.integer({ min: 1, max: 6 }),
  perBatch: fc.integer({ min: 1, max: 3 }),
  announces: fc.boolean(),
  width: fc.constantFrom(1, 1, 4),
  steps: fc.array(
    fc.record({
      machine: fc.nat({ max: 2 }),
      request: fc.constantFrom('batch', 'batch', 'batch', 'end'),
      sequence: fc.nat({ max: 6 }),
      dies: fc.oneof(fc.constant(null), fc.constant(null), fc.nat({ max: 12 })),
    }),
    { minLength: 4, maxLength: 14 },
  ),
});

async function perform(stage: Stage, { width, steps, announces, ...shape }: Play, about: string): Promise<End> {
  const { organizationId, services } = stage;
  const { names, plans } = planOf(shape);
  const machines = plans.length;
  const oracle = new Oracle(plans);
  const started = await Promise.all(
    plans.map(({ machineId, tests }) =>
      dataOf(
        sendStart(stage, startBody([liveGroup('retail', announces ? tests : [])], { ciBuildId: about, machineId })),
      ),
    ),
  );
  const runId: string = started[0]?.runId;
  const isAlone = width === 1;

  const batch = async (plan: Plan, sequence: number, dies: number | null = null): Promise<void> => {
    const instances = liveInstances('retail', plan.batches[sequence] ?? {});
    const body = { machineId: plan.machineId, sequence, instances };
    if (dies !== null) {
      const handling = recordBatch(dyingAfter(services, dies), { organizationId, runId, body: BatchBody.parse(body) });
      const death = await handling.then(() => undefined, String);
      if (death !== undefined) expect(death).toMatch(/The process has died/);
      if (death === undefined) oracle.stored(plan, sequence);
      else oracle.died(plan, sequence);
      return;
    }
    const { missing, ...answer } = await dataOf(sendBatch(stage, runId, body));
    oracle.stored(plan, sequence);
    expect(answer, about).toEqual({ sequence, cancellation: null });
    if (isAlone) expect(missing, about).toEqual(oracle.missing(plan, sequence));
  };
  const end = async (plan: Plan, isExact = isAlone): Promise<void> => {
    const ended = await dataOf(
      sendEnd(stage, runId, { machineId: plan.machineId, machines, batches: plan.batches.length }),
    );
    // Concurrent requests may arrive before or after the end.
    if (!isExact) return;
    expect(ended, about).toEqual(oracle.end(plan));
  };

  for (let from = 0; from < steps.length; from += width) {
    await Promise.all(
      steps.slice(from, from + width).map(async ({ machine, request, sequence, dies }) => {
        const plan = plans[machine % machines];
        if (!plan) return;
        if (request === 'end') return end(plan);
        const wanted = sequence % plan.batches.length;
        if (oracle.mayBeSent(plan, wanted)) await batch(plan, wanted, dies);
      }),
    );
    const { completionState, tests } = await readProgress(services, { organizationId, runId });
    const { least, greatest } = oracle.results();
    expect(tests.overall, about).toBeGreaterThanOrEqual(least);
    expect(tests.overall, about).toBeLessThanOrEqual(greatest);
    expect(tests.tests, about).toBe(announces ? names.length : tests.overall);
    if (isAlone) expect(completionState, about).toBe(oracle.hasEnded() ? 'COMPLETE' : 'IN_PROGRESS');
  }
  for (const plan of plans) for (const sequence of oracle.missing(plan)) await batch(plan, sequence);
  await Promise.all(plans.map((plan) => end(plan, false)));
  const { completionState, status } = await read(stage.api, `/runs/${runId}`);
  const fails = names.some((_, index) => stateOf(index)._s === 'failed');
  expect({ completionState, status }, about).toEqual({
    completionState: 'COMPLETE',
    status: fails ? 'FAILED' : 'PASSED',
  });
  return expectWhole(stage, runId, names, about);
}

test('A run holds the last result of each test once, and ends once, however the batches of its machines are ordered, repeated, lost, killed and sent concurrently', async () => {
  const stage = await service();
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(play, async (played) => {
      runs += 1;
      await expectPublished(stage, [await perform(stage, played, `random ${runs}`)]);
    }),
    { numRuns: cases(40, 1) },
  );
});
