/** Sample requests of the operations that import reports. */
import type { Tenant } from '#test/harness/service.ts';
import type { Ids, Sample } from './sample-shapes.ts';

const REPORT =
  '<testsuites><testsuite name="cart"><testcase name="sums" file="cart.test.ts"/></testsuite></testsuites>';

export const IMPORT_SAMPLES: Readonly<Record<string, Sample>> = {
  createImport: { ids: ['projectId'], query: () => 'ciBuildId=sample', file: REPORT, bad: { query: 'format=yaml' } },
  createImportLink: { ids: ['projectId'], bad: { query: 'format=yaml' } },
  getImport: { ids: ['importId'] },
};

export async function sampleImport({ api, projectId }: Tenant): Promise<Pick<Ids, 'importId'>> {
  const { body } = await api.send('POST', `/projects/${projectId}/imports?ciBuildId=import-1`, REPORT);
  return { importId: body.data.importId };
}
