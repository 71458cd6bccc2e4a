import { describe, expect, test } from 'vitest';
import { claim, createRecord, firstMessage, startRun } from '#test/harness/recording.ts';
import { passed, running } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { service } from '#test/harness/service.ts';
import { itemsWith } from '#test/harness/table-rows.ts';
import { claimedRun, DONE, NO_SUCH_INSTANCE, OPEN, SUITE } from './operations.ts';

/** A claimed spec file with a test record, a claimed spec file in another run, and one in another organization. */
async function stage() {
  const setting = await service();
  const stranger = { ...setting, ...(await setting.tenant('Other')) };
  const own = await claimedRun(setting);
  const foreign = await claimedRun(stranger);
  const recordId = await createRecord(setting, own, DONE, running());
  const later = await startRun(setting, SUITE, { ciBuildId: 'build-2' });
  const other = await claim(setting, later, 'cart.spec.ts');
  return { setting, own, foreign, other, recordId };
}
type Stage = Awaited<ReturnType<typeof stage>>;

const rowsOf = async ({ setting: { environment, organizationId } }: Stage) => {
  const rows = await itemsWith(environment, organizationId);
  return Object.fromEntries(rows.map((row) => [`${row['pk']} ${row['sk']}`, row]));
};

const FILE = { type: 'attachment', name: 'a.txt', artifactId: 'a1', attemptId: 0, contentType: 'text/plain' };

/**
 * The recording requests whose body may repeat ids that the URL, the instance or the test record already determines.
 * `names` lists these ids.
 */
const requests: Readonly<
  Record<string, { names: readonly string[]; send: (on: Stage, ids: object) => Promise<Answer> }>
> = {
  'The first message about a test': {
    names: ['runId', 'groupId'],
    send: ({ setting, own }, ids) =>
      setting.api.post('@/test-record', { ...firstMessage(own, OPEN, passed()), ...ids }),
  },
  'A later message about a test': {
    names: ['runId', 'instanceId', 'testId'],
    send: ({ setting, recordId }, ids) => setting.api.put(`@/test-record/${recordId}`, { _t: 1, ...passed(), ...ids }),
  },
  'A claim': {
    names: ['runId'],
    send: ({ setting, own }, ids) =>
      setting.api.post(`@/runs/${own.runId}/pw/instances/v1`, { groupId: 'retail', spec: 'other.spec.ts', ...ids }),
  },
  'The announcement of a file of a test': {
    names: ['runId', 'groupId', 'instanceId', 'testId'],
    send: ({ setting, recordId }, ids) => setting.api.post(`@/artifacts/test-record/${recordId}`, { ...FILE, ...ids }),
  },
  'The announcement of a file of a spec file': {
    names: ['runId', 'groupId', 'instanceId'],
    send: ({ setting, own }, ids) =>
      setting.api.post(`@/artifacts/instance/${own.instanceId}`, { ...FILE, type: 'stdout', ...ids }),
  },
};
type Answer = { readonly status: number; readonly body: unknown };

const cases = Object.entries(requests).flatMap(([request, { names, send }]) =>
  names.map((name) => [request, name, send] as const),
);

/** Refused requests write nothing, so all tests of refusals share this setup. */
let refusing: Promise<Stage> | undefined;

describe.each(cases)('%s with a contradicting `%s`', (_, name, send) => {
  test('A request whose ids contradict each other is refused with 400, even if an id is unknown or belongs to another organization, and writes nothing', async () => {
    refusing ??= stage();
    const on = await refusing;
    const { foreign, other } = on;
    const nobody = { runId: 'nobody', groupId: 'nobody', instanceId: NO_SUCH_INSTANCE, testId: 'nobody' };
    const elsewhere = [nobody, other, foreign].flatMap((ids) => {
      const id = { ...nobody, runId: ids.runId, instanceId: ids.instanceId }[name];
      return id === undefined ? [] : [id];
    });
    const before = await rowsOf(on);
    for (const id of elsewhere) {
      expect(await send(on, { [name]: id })).toMatchObject({
        status: 400,
        body: { status: 'FAILED', error: expect.stringMatching(`^\`${name}\` contradicts .* Send the ids`) },
      });
    }
    expect(await rowsOf(on)).toEqual(before);
  });
});

describe.each(Object.entries(requests))('%s', (_, { names, send }) => {
  test('A recording request is accepted both with matching ids and without ids', async () => {
    const on = await stage();
    const { own } = on;
    const ids = { ...own, testId: firstMessage(own, DONE, passed()).testId };
    const repeated = Object.fromEntries(Object.entries(ids).filter(([name]) => names.includes(name)));
    expect(await send(on, repeated)).toMatchObject({ status: 200 });
    expect(await send(on, {})).toMatchObject({ status: 200 });
  });
});

test('If a message about a test names another run, that run does not change', async () => {
  const on = await stage();
  const before = await read(on.setting.api, `/runs/${on.other.runId}`);
  await requests['The first message about a test']?.send(on, { runId: on.other.runId });
  expect(await read(on.setting.api, `/runs/${on.other.runId}`)).toEqual(before);
});
