import { describe, expect, test } from 'vitest';
import { query } from '#test/harness/client.ts';
import { uploadRun } from '#test/harness/recording-batch.ts';
import { COMMIT, passed } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { service } from '#test/harness/service.ts';

const TEST = 'cart.spec.ts > sums';

/** Each row has the branch name that a run records, and a name and a prefix with which the run is found. */
const BRANCHES = [
  ['größe/Ω-東京', 'größe/Ω-東京', 'größe/*'],
  ['🚀 launch', '🚀 launch', '🚀*'],
  ['two words', 'two words', 'two *'],
  ['a*b', 'a*b', 'a**'],
  ['a;b&c=d+e%20f#g"h', 'a;b&c=d+e%20f#g"h', 'a;b&c=d+e%20*'],
  ['tab\tand\nline', 'tab\tand\nline', 'tab\t*'],
  ['cafe\u0301', 'caf\u00e9', 'caf\u00e9*'],
  ['na\u00efve', 'nai\u0308ve', 'nai\u0308*'],
  ['half \ud83d', 'half \ufffd', 'half*'],
  [`long/${'x'.repeat(1200)}`, `long/${'x'.repeat(1200)}`, `long/${'x'.repeat(600)}*`],
  [`ünder/${'ü'.repeat(300)}`, `ünder/${'ü'.repeat(300)}`, `ünder/${'ü'.repeat(299)}*`],
] as const;

async function record() {
  const tenant = await service();
  const runIds = new Map<string, string>();
  for (const [index, [branch]] of BRANCHES.entries()) {
    const more = { ciBuildId: `build ${index}`, commit: { ...COMMIT, branch } };
    runIds.set(branch, (await uploadRun(tenant, { [TEST]: passed() }, more)).runId);
  }
  return { ...tenant, runIds };
}
/** Tests share one organization, because they do not change it. */
let recorded: ReturnType<typeof record> | undefined;
const stage = () => (recorded ??= record());

describe('A recorded branch name', () => {
  test('A run is found by its branch name and by a prefix of this name, in the list of runs and by `GET /runs/find`, whatever characters the name has', async () => {
    const { reader, projectId, runIds } = await stage();
    for (const [branch, asked, prefix] of BRANCHES) {
      for (const filter of [asked, prefix]) {
        const runs = await read(reader, `/projects/${projectId}/runs${query(['branches[]', filter])}`);
        expect(
          runs.map(({ runId }: { runId: string }) => runId),
          filter,
        ).toEqual([runIds.get(branch)]);
        const found = await read(reader, `/runs/find${query(['projectId', projectId], ['branch', filter])}`);
        expect(found.runId, filter).toBe(runIds.get(branch));
      }
    }
  });

  test('A run is not found by a name that differs from its branch name only in case, accents or spaces, or that lacks or adds a part', async () => {
    const { reader, projectId } = await stage();
    for (const filter of ['größe', 'Größe/*', 'cafe', 'two  words', 'xa*b']) {
      expect(await read(reader, `/projects/${projectId}/runs${query(['branches[]', filter])}`), filter).toEqual([]);
    }
  });

  test('A history query refuses a branch filter with spaces, non-ASCII characters, an inner `*` or more than 250 characters (§4.1)', async () => {
    const { reader } = await service();
    const range = [['date_start', '2026-01-01'] as const, ['date_end', '2027-01-01'] as const];
    for (const branch of ['größe', 'two words', 'a*b', 'x'.repeat(251)]) {
      const answer = await reader.get(`/test-results/${'0'.repeat(32)}${query(...range, ['branches[]', branch])}`);
      expect(answer, branch).toMatchObject({ status: 400, body: { error: expect.stringContaining('`branches[0]`') } });
    }
  });
});
