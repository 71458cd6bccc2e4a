import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { recordTerms } from '#shared/analytics/record-terms.ts';
import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import { put, remove } from '#shared/engine/table/writes.ts';
import { eraseTerms, forgetTimesOfAuthors } from '#shared/erasure/erase-project.ts';
import { SearchedPerson } from '#shared/erasure/searched-person.ts';
import { keepResult } from '#shared/ingest/keep-result.ts';
import { deriveInstanceId, deriveRecordId, deriveSignature, deriveTestKey } from '#shared/model/ids.ts';
import { replaceAuthor } from '#shared/model/organizations/erasure.ts';
import { history } from '#shared/model/results/history-row.ts';
import { makeRecentFacts } from '#shared/model/results/recent-facts.ts';
import type { TestRecord } from '#shared/model/results/test-record.ts';
import { NO_COMMIT } from '#shared/model/runs/commit.ts';
import { terms } from '#shared/model/runs/term.ts';
import { listTestResults } from '#shared/results/executions/list-test-results.ts';
import { cases } from '#test/harness/cases.ts';
import { type HistoryItem, historyItem, recordIdIn, recordIdOf, storeHistory } from '#test/harness/history.ts';
import { type HistoryFilter, pageOf } from '#test/harness/history-oracle.ts';
import { runItem } from '#test/harness/history-runs.ts';
import { recordRun } from '#test/harness/recording.ts';
import { uploadRun } from '#test/harness/recording-batch.ts';
import { COMMIT, passed } from '#test/harness/recording-messages.ts';
import { clock, service, type Tenant, type TestService } from '#test/harness/service.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.parse('2026-11-02T09:00:00Z');

/** With a Kelvin sign, whose normal form is a letter. */
const KELVIN = '\u212aey';
const BRANCHES = ['main', 'main', 'feature', 'fix', KELVIN, 'b'.repeat(250), null];
const BRANCH_FILTERS = ['main', 'feature', 'fix', 'Key', 'b'.repeat(250), 'nowhere', 'fea*'];
/** Namesakes, people with two addresses and commits without an address. */
const AUTHORS = [
  ['Bo', 'bo@example.com'],
  ['Bo', 'other.bo@example.com'],
  ['Al', null],
  ['Al', 'al@example.com'],
  [null, 'bo@example.com'],
  [null, null],
] as const;
const ERASED_BO = { code: 'code1', address: 'bo@example.com', names: ['Bo'] };
const PEOPLE = [ERASED_BO, { code: 'code2', address: 'al@example.com', names: ['Al'] }];
const toPerson = (organizationId: string, { code, address, names }: (typeof PEOPLE)[number]) =>
  new SearchedPerson({ organizationId, code }, { address, names, foundNames: [] });
const PSEUDONYMS = PEOPLE.map((person) => toPerson('', person).pseudonym);
const AUTHOR_FILTERS = [
  ...AUTHORS.flat().filter((author) => author !== null),
  ...PSEUDONYMS.flatMap(({ name, address }) => [name, address]),
  'nobody',
];

const CONTAINERS = 3;
const container = fc.nat(CONTAINERS - 1);

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('record' as const),
      /** Recorded at the same time by different containers. */
      executions: fc.array(
        fc.record({
          container,
          branch: fc.constantFrom(...BRANCHES),
          author: fc.constantFrom(...AUTHORS),
          keptDays: fc.constantFrom(undefined, undefined, undefined, 2, 400),
        }),
        { minLength: 1, maxLength: 4 },
      ),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      milliseconds: fc.constantFrom(
        1,
        MINUTE,
        50 * MINUTE,
        HOUR,
        2 * HOUR,
        9 * HOUR,
        DAY,
        3 * DAY,
        40 * DAY,
        364 * DAY,
        366 * DAY,
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const), container }) },
  // A result that arrives again, possibly long after it was recorded, or after its run was deleted.
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('repeat' as const), container, place: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), place: fc.nat(30) }) },
  // The run of an execution ends, possibly long after it, or for the second time.
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('end' as const), place: fc.nat(30), hoursBefore: fc.nat(30) }),
  },
  // The author is replaced in executions first, and the terms of the author go hours later.
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('erase' as const),
      person: fc.constantFrom(...PEOPLE),
      hours: fc.constantFrom(0, 0, 5),
    }),
  },
  // The version before is deployed again, records an execution, and ends its run.
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('undo' as const),
      container,
      branch: fc.constantFrom(...BRANCHES.filter((branch) => branch !== KELVIN)),
      author: fc.constantFrom(...AUTHORS),
    }),
  },
);

const some = <Value>(values: readonly Value[]) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 2 });

const question = fc.record({
  filter: fc.oneof(
    fc.record({ branches: some(BRANCH_FILTERS) }),
    fc.record({ authors: some(AUTHOR_FILTERS) }),
    fc.record({ branches: some(BRANCH_FILTERS), authors: some(AUTHOR_FILTERS) }),
  ),
  limit: fc.constantFrom(1, 2, 5),
  /** The range begins and ends so many milliseconds before or after an execution, or is unlimited. */
  from: fc.option(fc.record({ place: fc.nat(30), offset: fc.integer({ min: -2, max: 2 }) })),
  to: fc.option(fc.record({ place: fc.nat(30), offset: fc.integer({ min: -2, max: 2 }) })),
});

const story = fc.record({
  /** What an older version, which does not know the times of terms, recorded before. */
  older: fc.array(step, { maxLength: 4 }),
  /** While the versions change. */
  between: fc.array(fc.tuple(step, fc.boolean()), { maxLength: 4 }),
  newer: fc.array(step, { minLength: 5, maxLength: 18 }),
  skew: fc.array(fc.integer({ min: -2000, max: 2000 }), { minLength: CONTAINERS, maxLength: CONTAINERS }),
  questions: fc.array(question, { minLength: 10, maxLength: 10 }),
});

type Stage = TestService & Tenant;
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
type Question = typeof question extends fc.Arbitrary<infer Value> ? Value : never;
type Story = typeof story extends fc.Arbitrary<infer Value> ? Value : never;

const [BO, OTHER_BO, AL, , ONLY_ADDRESS] = AUTHORS;
const wait = (milliseconds: number): Step => ({ kind: 'wait', milliseconds });
const execute = (branch: string | null, author: (typeof AUTHORS)[number] = [null, null], container = 0) => ({
  container,
  branch,
  author,
  keptDays: undefined,
});
const together = (...executions: ReturnType<typeof execute>[]): Step => ({ kind: 'record', executions });
const record = (...execution: Parameters<typeof execute>): Step => together(execute(...execution));
const repeat = (place: number, container = 0): Step => ({ kind: 'repeat', container, place });
const undo: Step = { kind: 'undo', ...execute('fix') };
const erase = (hours: 0 | 5): Step => ({ kind: 'erase', person: ERASED_BO, hours });

/** The last executions keep the first read of a page, which ignores the times of terms, away from the others. */
const tell = (filter: Question['filter'], newer: readonly Step[], more: Partial<Story> = {}): [Story] => [
  {
    older: [],
    between: [],
    newer: [record('main'), wait(3 * DAY), ...newer, wait(DAY), ...[1, 2, 3].flatMap(() => [record('main'), wait(1)])],
    skew: [0, 0, 0],
    questions: [{ filter, limit: 1, from: null, to: null }],
    ...more,
  },
];
const [FIX, KEY] = [{ branches: ['fix'] }, { branches: ['Key'] }];
const SKEWS = [{ skew: [-2000, 2000, 0] }, { skew: [2000, -2000, 0] }];
/** The version before records last. */
const inTurn = (...steps: Step[]) => ({
  between: [...steps, wait(9 * HOUR), wait(9 * HOUR), record('fix', AL)].map((one, place): [Step, boolean] => [
    one,
    place === steps.length + 2,
  ]),
});

/** Each would miss an execution on a page if the times of terms lacked one rule. Random stories seldom meet them. */
const STORIES = [
  // The first execution of a branch or an author, with each kind of name, and with a prefix.
  tell({ branches: ['fea*'] }, [record('feature')]),
  tell(KEY, [record(KELVIN)]),
  tell({ authors: ['Al'] }, [record('fix', AL)]),
  tell({ authors: ['bo@example.com'] }, [record('fix', ONLY_ADDRESS)]),
  // The term of a branch that was used more than a year ago has ended, and the other one has not.
  tell(FIX, [record('fix'), wait(366 * DAY)]),
  tell(FIX, [record('fix'), wait(362 * DAY)]),
  // The version before records while the versions change.
  tell(FIX, [record('fix')], inTurn(record('main'))),
  tell(FIX, [], inTurn(record('fix'))),
  tell({ authors: ['Al'] }, [], inTurn(record('main'))),
  // The version before is deployed again, and records on a branch with or without a term.
  tell(FIX, [undo]),
  tell(FIX, [record('fix'), wait(3 * DAY), undo]),
  tell(FIX, [undo, wait(DAY), record('fix')]),
  // A late result is older than the term, which another execution or the end of a run has used since.
  tell(FIX, [wait(40 * DAY), record('fix'), repeat(1), wait(362 * DAY)], inTurn(record('main'))),
  tell(FIX, [record('fix'), wait(40 * DAY), undo, repeat(1), wait(362 * DAY)], inTurn(record('main'))),
  // The erasure of a namesake deletes a term, which a container remembers.
  tell({ authors: ['Bo'] }, [record('fix', OTHER_BO), record('fix', BO), erase(0)]),
  tell({ authors: ['Bo'] }, [
    record('fix', OTHER_BO),
    record('fix', BO),
    erase(0),
    wait(50 * MINUTE),
    record('fix', OTHER_BO),
  ]),
  tell({ authors: ['Bo'] }, [record('fix', OTHER_BO), record('fix', BO), erase(5)]),
  // The clocks of containers that record at the same time differ.
  ...SKEWS.flatMap((skew) => [
    tell(FIX, [record('fix', AL, 1), repeat(1), record('fix')], skew),
    // They create the term or extend it. The first execution or the last one is outside of the times of the other one.
    ...[[], [record('fix'), wait(2 * HOUR)]].map((before) => {
      const both = [execute('fix'), execute('fix', AL, 1)];
      const after = [wait(HOUR - 1000), record('fix', AL, 0), record('fix', AL, 1)];
      return tell(FIX, [...before, together(...both), ...after], skew);
    }),
  ]),
  // The range has executions of a single millisecond, of which the first read does not contain all.
  tell(FIX, [together(execute('main'), execute('fix'), execute('main'), execute('main'))], {
    questions: [{ filter: FIX, limit: 1, from: { place: 1, offset: 0 }, to: { place: 1, offset: 1 } }],
  }),
];

interface Occurrence {
  readonly item: HistoryItem;
  readonly record: TestRecord;
}

/** The history of one test in a project of its own, and what it must contain. */
class Life {
  readonly #stage: Stage;
  readonly #skew: readonly number[];
  readonly #recent = Array.from({ length: CONTAINERS }, makeRecentFacts);
  readonly #title: readonly string[];
  readonly #all: Occurrence[] = [];
  readonly #deleted = new Set<string>();

  constructor(stage: Stage, projectId: string, skew: readonly number[]) {
    this.#stage = { ...stage, projectId };
    this.#skew = skew;
    this.#title = ['sums'];
  }

  async take(one: Step, isOlder: boolean): Promise<void> {
    const { services } = this.#stage;
    const { table } = services;
    if (one.kind === 'wait') clock.advance(one.milliseconds);
    if (one.kind === 'restart') this.#recent[one.container] = makeRecentFacts();
    if (one.kind === 'record') await Promise.all(one.executions.map((execution) => this.#record(execution, isOlder)));
    if (one.kind === 'erase') await this.#erase(one);
    if (one.kind === 'undo') {
      // Longer than clocks differ: the older version cannot record before a term that the newer one has just created.
      clock.advance(MINUTE);
      await this.#record({ ...one, keptDays: undefined }, true);
      await this.#end(this.#all.at(-1), 0);
    }
    const executed = 'place' in one ? this.#all[one.place % this.#all.length] : undefined;
    if (!executed) return;
    if (one.kind === 'delete') {
      await table.writeMany([remove(history, { ...executed.item, list: 'all' })]);
      this.#deleted.add(executed.item.recordId);
    }
    if (one.kind === 'repeat' && !isOlder) {
      await keepResult(this.#container(one.container), this.#resultOf(executed.record));
      this.#deleted.delete(executed.item.recordId);
    }
    if (one.kind === 'end') await this.#end(executed, one.hoursBefore);
  }

  async #end(executed: Occurrence | undefined, hoursBefore: number): Promise<void> {
    if (!executed) return;
    const { branch, authorName, authorEmail, recordedAt } = executed.item;
    const createdAt = recordedAt - hoursBefore * HOUR;
    const run = runItem(this.#stage, { createdAt, commit: { ...NO_COMMIT, branch, authorName, authorEmail } });
    await recordTerms(this.#stage.services, { run, groups: [], tests: [] });
  }

  #container(place: number) {
    const { services } = this.#stage;
    const now = () => Date.now() + (this.#skew[place] ?? 0);
    return { ...services, now, recent: this.#recent[place] ?? services.recent };
  }

  #resultOf = (record: TestRecord) => ({
    record,
    counted: { outcome: 'passed' as const, flaky: false, retries: 0, expectedStatus: 'passed' },
    evidence: () => [],
  });

  async #record(
    {
      container: place,
      branch,
      author: [authorName, authorEmail],
      keptDays,
    }: Extract<Step, { kind: 'record' }>['executions'][number],
    isOlder: boolean,
  ): Promise<void> {
    const recorder = this.#container(place);
    const finalAt = recorder.now();
    const number = this.#all.length;
    const instanceId = deriveInstanceId({ runId: 'a'.repeat(16), groupId: 'retail', spec: `run ${number}` });
    const testId = 'sums';
    const expiresAt = keptDays === undefined ? undefined : Math.ceil((finalAt + keptDays * DAY) / 1000);
    const title = this.#title;
    const item = historyItem(this.#stage, {
      title,
      testId,
      branch,
      authorName,
      authorEmail,
      signature: this.#signature,
      recordId: deriveRecordId({ instanceId, testId }),
      recordedAt: finalAt,
      expiresAt,
    });
    const record: TestRecord = {
      ...item,
      instanceId,
      testKey: deriveTestKey(testId),
      sequence: 1,
      done: true,
      reported: { outcome: 'passed', flaky: false },
      attempts: [
        {
          attempt: 0,
          state: 'passed',
          rawStatus: 'passed',
          startedAt: finalAt,
          duration: 1,
          errors: [],
          workerIndex: 0,
          parallelIndex: 0,
        },
      ],
      testTags: [],
      finalAt,
      finals: 1,
      expiry: { results: expiresAt, evidence: expiresAt, files: expiresAt },
    };
    this.#all.push({ item, record });
    if (isOlder) await recorder.table.writeMany([put(history, { ...item, list: 'all' })]);
    else await keepResult(recorder, this.#resultOf(record));
  }

  get #signature(): string {
    return deriveSignature({ ...this.#stage, spec: 'cart.spec.ts', title: this.#title });
  }

  async #erase({ person: someone, hours }: Extract<Step, { kind: 'erase' }>): Promise<void> {
    const { services, organizationId } = this.#stage;
    const person = toPerson(organizationId, someone);
    await forgetTimesOfAuthors(services, this.#stage);
    for (const [place, { item, record }] of this.#all.entries()) {
      if (!person.isAuthor(item)) continue;
      const author = replaceAuthor(item, person.pseudonym);
      const newItem = { ...item, ...author };
      this.#all[place] = { item: newItem, record: { ...record, ...author } };
      if (!this.#deleted.has(item.recordId))
        await services.table.writeMany([put(history, { ...newItem, list: 'all' })]);
    }
    if (hours > 0) {
      clock.advance(hours * HOUR);
      await this.#record(execute('fix', OTHER_BO), false);
    }
    await eraseTerms(services, person, this.#stage);
  }

  async ask({ filter, limit, from, to }: Question): Promise<number> {
    const timeOf = (at: Question['from'], byDefault: number) => {
      const executed = at && this.#all[at.place % this.#all.length];
      return at && executed ? executed.item.recordedAt + at.offset : byDefault;
    };
    const ends = [timeOf(from, 0), timeOf(to, Date.now() + DAY)];
    const range = { date_start: Math.min(...ends), date_end: Math.max(...ends) };
    const items = this.#all
      .map(({ item }) => item)
      .filter(({ recordId }) => !this.#deleted.has(recordId))
      .filter(({ expiresAt }) => expiresAt === undefined || expiresAt > Math.floor(Date.now() / 1000))
      .filter(({ recordedAt }) => range.date_start <= recordedAt && recordedAt < range.date_end);
    const byId = new Map(items.map((item) => [item.recordId, item]));
    const { services, organizationId } = this.#stage;
    const walk = async (page: { starting_after?: string; ending_before?: string }, place: object) => {
      const query = { ...filter, ...range, limit, ...page };
      const answer = await listTestResults(services, { organizationId, signature: this.#signature, query });
      const recordIds = answer.data.map(recordIdIn);
      const expected = pageOf(items, filter satisfies HistoryFilter, { limit, ...place });
      expect({ recordIds, has_more: answer.has_more }, describeQuestion({ filter, ...range })).toEqual(expected);
      return answer;
    };
    let pages = 1;
    let answer = await walk({}, {});
    while (answer.has_more && pages < 4) {
      const { cursor } = answer.data.at(-1) ?? {};
      const startingAfter = byId.get(recordIdIn(answer.data.at(-1) ?? { attempts: [] }));
      answer = await walk({ ...(cursor ? { starting_after: cursor } : {}) }, { startingAfter });
      pages += 1;
    }
    const last = answer.data.at(-1);
    if (last) {
      await walk({ ending_before: last.cursor }, { endingBefore: byId.get(recordIdIn(last)) });
      pages += 1;
    }
    return pages;
  }
}

const describeQuestion = ({ date_start, date_end, filter }: { date_start: number; date_end: number; filter: object }) =>
  `${formatIsoTime(date_start)} to ${formatIsoTime(date_end)}: ${JSON.stringify(filter)}`;

/** What an older version stores at the end of a run is what this version stores, but without times. */
const storeOlderTerm = async ({ services }: Stage, projectId: string, organizationId: string) =>
  services.table.writeMany([
    put(terms, {
      organizationId,
      projectId,
      termType: 'branch',
      value: 'main',
      lastUsedAt: Date.now(),
      expiresAt: Math.ceil(Date.now() / 1000) + 365 * 24 * 3600,
    }),
  ]);

describe('Pages of a history that is filtered by branch or author', () => {
  test('read little but the days on which the branch or author had executions, and nothing of an unknown one', async () => {
    const stage = await service();
    const { services, organizationId, projectId } = stage;
    clock.set(START);
    const [name, spec] = ['cart.spec.ts > sums', 'cart.spec.ts'];
    const tests = { [name]: passed() };
    const describeRun = (branch: string, authorName: string) => ({
      ciBuildId: `${branch} ${Date.now()}`,
      commit: { ...COMMIT, branch, authorName },
    });
    await uploadRun(stage, tests, describeRun('main', 'Al'));
    const signature = deriveSignature({ organizationId, projectId, spec, title: ['sums'] });
    clock.advance(10 * DAY);
    await recordRun(stage, { retail: { tests } }, describeRun('fix', 'Bo'));
    // Longer than the time by which each execution extends the times of its branch.
    clock.advance(90 * MINUTE);
    await uploadRun(stage, tests, describeRun('fix', 'Bo'));
    const later = Array.from({ length: 1500 }, (_, number) =>
      historyItem(stage, {
        signature,
        recordId: recordIdOf(number),
        recordedAt: Date.now() + 2 * HOUR + number * MINUTE,
      }),
    );
    await storeHistory(services, later);
    clock.advance(40 * DAY);
    const read = async (filter: { branches?: string[]; authors?: string[] }) => {
      const table = services.table.metered();
      const query = { date_start: 0, date_end: Date.now(), limit: 10, ...filter };
      const { data } = await listTestResults({ ...services, table }, { organizationId, signature, query });
      return { found: data.length, units: table.meter.readUnits };
    };
    const prefix = await read({ branches: ['fi*'] });
    expect(prefix.found).toBe(2);
    expect(prefix.units).toBeGreaterThan(40);
    for (const filter of [
      { branches: ['fix'] },
      { authors: ['Bo'] },
      { branches: ['fix', 'nowhere'], authors: ['Bo'] },
    ]) {
      const { found, units } = await read(filter);
      expect(found).toBe(2);
      expect(units).toBeLessThan(8);
    }
    expect(await read({ branches: ['nowhere'] })).toMatchObject({ found: 0 });
    expect((await read({ branches: ['nowhere'] })).units).toBeLessThan(5);
  });

  test('contain each matching execution, whatever happened before and after it was recorded', async () => {
    const stage = await service();
    let lives = 0;
    let pages = 0;
    const property = fc.asyncProperty(story, async ({ older, between, newer, skew, questions }) => {
      lives += 1;
      clock.set(START);
      const projectId = `life${lives}`;
      const life = new Life(stage, projectId, skew);
      for (const one of older) await life.take(one, true);
      if (older.length > 0) await storeOlderTerm(stage, projectId, stage.organizationId);
      const end = Date.now() + 20 * HOUR;
      for (const [one, isOlder] of between) {
        if (one.kind === 'wait' && Date.now() + one.milliseconds > end) continue;
        await life.take(one, isOlder);
      }
      for (const [place, one] of newer.entries()) {
        await life.take(one, false);
        // Some questions are asked while the story goes on.
        const now = questions[place];
        if (now && place % 3 === 0) pages += await life.ask(now);
      }
      for (const one of questions) pages += await life.ask(one);
    });
    await fc.assert(property, { numRuns: cases(400, 8) + STORIES.length, examples: STORIES });
    expect(pages).toBeGreaterThan(10 * (lives - STORIES.length));
  });
});
