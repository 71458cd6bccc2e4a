import { expect, test } from 'vitest';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import { passed, suiteGroup } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { service } from '#test/harness/service.ts';

const UPLOADS = 8;
const ROUNDS = 4;

/**
 * An uploaded test that passed on its first attempt has no test record. The API lists it from the details of its spec
 * file, where concurrent uploads could overwrite each other's tests.
 */
test('Concurrent uploads of one spec file keep the passed tests of all uploads', async () => {
  const tenant = await service();
  const names = Array.from({ length: UPLOADS }, (_, index) => `a.spec.ts > ${index + 1}`);
  for (let round = 1; round <= ROUNDS; round += 1) {
    const more = { group: 'unit', ciBuildId: `round-${round}` };
    const { runId } = await upload(tenant, [suiteGroup('unit', names)], [], more);
    const sent = names.map((name) =>
      upload(tenant, [], [batchInstance('unit', 'a.spec.ts', { [name]: passed() })], more),
    );
    await Promise.all(sent);
    const { specs, groups } = await read(tenant.api, `/runs/${runId}`);
    expect(groups[0].tests).toMatchObject({ overall: UPLOADS, passes: UPLOADS });
    const { results } = await read(tenant.api, `/instances/${specs[0].instanceId}`);
    expect(results.tests.map(({ title }: { title: string[] }) => title[0])).toEqual(
      names.map((_, index) => String(index + 1)),
    );
  }
});
