import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { timeOutRuns } from '#shared/lifecycle/time-out-runs.ts';
import { deriveInstanceId } from '#shared/model/ids.ts';
import { claimInstance } from '#shared/recording/published/claim-instance.ts';
import { ClaimInstanceBody } from '#shared/recording/published/claim-wire.ts';
import { createTestRecord } from '#shared/recording/published/record-test.ts';
import { CreateTestRecordBody } from '#shared/recording/published/test-wire.ts';
import type { Services } from '#shared/services.ts';
import { cases, IS_DEEP } from '#test/harness/cases.ts';
import { dyingAfter } from '#test/harness/interrupted-table.ts';
import { type Claimed, firstMessage, startRun } from '#test/harness/recording.ts';
import { failed, running, suiteGroup, type TestState } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { clock, service } from '#test/harness/service.ts';
import { type End, expectPublished, expectWhole, stateOf } from './whole-run.ts';

type Stage = Awaited<ReturnType<typeof service>>;
type Message = (services: Services) => Promise<unknown>;

const namesOf = (files: number, tests: number): string[] =>
  Array.from({ length: tests }, (_, index) => `file-${index % files}.spec.ts > ${index}`);

interface Messages {
  readonly runId: string;
  readonly claims: readonly Message[];
  readonly results: readonly Message[];
  /** For each test, its end once more, as a newer message. */
  readonly repetitions: readonly Message[];
}

/** Starts a run. Returns its claims, and three messages about each test: start, failed attempt and end. */
async function messagesOf(stage: Stage, ciBuildId: string, names: readonly string[]): Promise<Messages> {
  const run = await startRun(stage, [suiteGroup('retail', names)], { ciBuildId });
  const { organizationId } = stage;
  const specOf = (name: string): string => name.split(' > ', 1).join();
  const claims = [...new Set(names.map(specOf))].map((spec): Message => {
    const body = ClaimInstanceBody.parse({ runId: run.runId, groupId: 'retail', spec, machineId: run.machineId });
    return (services) =>
      claimInstance(services, { organizationId, runId: run.runId, body, requestKey: `claim ${spec}` });
  });
  const toMessage = (name: string, state: TestState, sequence: number): Message => {
    const spec = specOf(name);
    const claimed: Claimed = { ...run, instanceId: deriveInstanceId({ ...run, spec }), spec, claimedCount: 1 };
    const sent = { ...firstMessage(claimed, name, state), _t: sequence };
    const body = CreateTestRecordBody.parse(sent);
    return (services) => createTestRecord(services, { organizationId, body, sent });
  };
  const results = names.flatMap((name, index) =>
    [running(), failed({ _d: false }), stateOf(index)].map((state, sequence) => toMessage(name, state, sequence)),
  );
  const repetitions = names.map((name, index) => toMessage(name, stateOf(index), MESSAGES_PER_TEST));
  return { runId: run.runId, claims, results, repetitions };
}

/**
 * Handles the message in a process that dies after this many writes. Returns false if the message needs no more writes,
 * so that the process survives.
 */
async function diesAfter(services: Services, message: Message, writes: number): Promise<boolean> {
  const death = await message(dyingAfter(services, writes)).then(
    () => undefined,
    (error) => String(error),
  );
  if (death !== undefined) expect(death).toMatch(/The process has (died|crashed)/);
  return death !== undefined;
}

/**
 * The two writes of the last message that are needed to record its result: the attempt to create the record, which
 * exists already, and the update that makes the test final.
 */
const RECORD_WRITES = 2;

const MESSAGES_PER_TEST = 3;

type When = 'immediately' | 'after all others';

/**
 * The numbers of the messages that are interrupted in the same run. `npm run test:deep` interrupts each message in a
 * separate run. `npm test` interrupts a claim, a message of each kind and the last message.
 */
const SAMPLED: Readonly<Record<When, readonly number[]>> = { immediately: [0, 5, 10], 'after all others': [7, 9] };
const interruptions = (when: When, messages: number, claims: number): readonly (readonly number[])[] => {
  if (!IS_DEEP) return [SAMPLED[when]];
  // Claims cannot be sent after all other messages, because a run that has ended accepts no claims.
  const first = when === 'after all others' ? claims : 0;
  return Array.from({ length: messages - first }, (_, index) => [first + index]);
};

/** Whether the message is sent. In `npm test`, a test without an interrupted message sends only its last message. */
function isNeeded(number: number, interrupted: readonly number[], claims: number): boolean {
  const result = number - claims;
  const isEnd = result % MESSAGES_PER_TEST === MESSAGES_PER_TEST - 1;
  const testOf = (index: number): number => Math.floor((index - claims) / MESSAGES_PER_TEST);
  return IS_DEEP || result < 0 || isEnd || interrupted.some((other) => testOf(other) === testOf(number));
}

/**
 * The numbers of spec files and tests per run. With two files and three tests, one file has two tests, and the other
 * has one.
 */
const SAMPLE = [[2, 3]] as const;
const SIZES = IS_DEEP ? [...SAMPLE, [2, 4] as const, [1, 1] as const, [1, 12] as const] : SAMPLE;

describe.each(SIZES)('A message interrupted after any write (files: %i, tests: %i)', (files, tests) => {
  const names = namesOf(files, tests);

  test.each(['immediately', 'after all others'] as const)(
    'When an interrupted message is sent again %s, no result is lost or duplicated',
    async (when) => {
      const stage = await service();
      const { claims, results } = await messagesOf(stage, 'size', names);
      const ends: End[] = [];
      for (const interrupted of interruptions(when, claims.length + results.length, claims.length)) {
        for (let writes = 0, dies = true; dies; writes += 1) {
          const about = `messages ${interrupted} after ${writes} writes, ${when}`;
          const run = await messagesOf(stage, about, names);
          const all = [...run.claims, ...run.results];
          dies = false;
          for (const [number, message] of all.entries()) {
            if (!isNeeded(number, interrupted, claims.length)) continue;
            const isInterrupted = interrupted.includes(number);
            if (isInterrupted && (await diesAfter(stage.services, message, writes))) dies = true;
            if (!isInterrupted || when === 'immediately') await message(stage.services);
          }
          if (when === 'after all others') for (const index of interrupted) await all[index]?.(stage.services);
          ends.push(await expectWhole(stage, run.runId, names, about));
        }
      }
      await expectPublished(stage, ends);
    },
  );

  test('When an interrupted final message is not sent again, and the same result follows as a new message, no result is lost or duplicated', async () => {
    const stage = await service();
    const ends: End[] = [];
    for (let writes = 0, dies = true; dies; writes += 1) {
      const about = `every final message after ${writes} writes`;
      const { runId, claims, results, repetitions } = await messagesOf(stage, about, names);
      for (const message of claims) await message(stage.services);
      dies = false;
      for (const [index, repetition] of repetitions.entries()) {
        const end = results[index * MESSAGES_PER_TEST + MESSAGES_PER_TEST - 1];
        if (end && (await diesAfter(stage.services, end, writes))) dies = true;
        await repetition(stage.services);
      }
      ends.push(await expectWhole(stage, runId, names, about));
    }
    await expectPublished(stage, ends);
  });

  test('If the last message of a run is interrupted after it has recorded its result, and is not sent again, the scheduled timeout job completes the run', async () => {
    const stage = await service();
    for (let writes = RECORD_WRITES, dies = true; dies; writes += 1) {
      const about = `the last message after ${writes} writes`;
      const { runId, claims, results } = await messagesOf(stage, about, names);
      const all = [...claims, ...results];
      const last = all.pop();
      for (const [number, message] of all.entries())
        if (isNeeded(number, [all.length], claims.length)) await message(stage.services);
      dies = last !== undefined && (await diesAfter(stage.services, last, writes));
      clock.advance(31 * 60_000);
      await timeOutRuns(stage.services, { remainingMilliseconds: () => 60_000 });
      const { completionState, groups } = await read(stage.api, `/runs/${runId}`);
      expect({ completionState, overall: groups[0].tests.overall }, about).toEqual({
        completionState: 'COMPLETE',
        overall: names.length,
      });
    }
  });
});

test('A run ends once, with the newest result of each test, even if messages are interrupted, reordered and repeated', async () => {
  const stage = await service();
  let runs = 0;
  const play = fc.record({
    files: fc.integer({ min: 1, max: 3 }),
    tests: fc.integer({ min: 1, max: 12 }),
    choices: fc.array(fc.nat(), { minLength: 60, maxLength: 60 }),
  });
  await fc.assert(
    fc.asyncProperty(play, async ({ files, tests, choices }) => {
      const names = namesOf(files, files * tests);
      runs += 1;
      const { runId, claims, results } = await messagesOf(stage, `random ${runs}`, names);
      await Promise.all(claims.map((message) => message(stage.services)));
      const choice = (index: number): number => choices[index % choices.length] ?? 0;
      const order = results
        .map((message: Message, index: number) => ({ message, index }))
        .sort((one, other) => choice(one.index) - choice(other.index));
      // Eight concurrent clients. About a third of the messages are interrupted once, and about a fifth are sent twice.
      const clients = Array.from({ length: 8 }, async (_, client) => {
        for (const { message, index } of order.filter((_, place) => place % 8 === client)) {
          if (choice(index + 1) % 3 === 0) await diesAfter(stage.services, message, choice(index + 2) % 6);
          await message(stage.services);
          if (choice(index + 3) % 5 === 0) await message(stage.services);
        }
      });
      await Promise.all(clients);
      await expectPublished(stage, [await expectWhole(stage, runId, names, `random ${runs}`)]);
    }),
    { numRuns: cases(2, 1) },
  );
});
