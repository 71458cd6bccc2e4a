/** Records examples of the operations on imports. */
import * as z from 'zod';

type Send = (operationId: string, method: string, path: string, body?: string) => Promise<Record<string, unknown>>;

const REPORT = `<testsuites>
  <testsuite name="cart" timestamp="2026-11-02T09:58:00Z">
    <testcase name="sums equal articles" file="cart.test.ts" time="0.42"/>
    <testcase name="refuses a closed cart" file="cart.test.ts" time="0.08">
      <failure message="expected 409, received 200">at cart.test.ts:31:7</failure>
    </testcase>
  </testsuite>
</testsuites>`;

const Named = z.object({ importId: z.string() });

export async function importReports(request: Send, projectId: string): Promise<void> {
  const path = `/projects/${projectId}/imports`;
  const query = 'ciBuildId=build-1044&branch=main&name=unit.xml';
  const { importId } = Named.parse((await request('createImport', 'POST', `${path}?${query}`, REPORT))['data']);
  await request('getImport', 'GET', `/imports/${importId}`);
  await request('createImportLink', 'POST', `${path}/links?ciBuildId=build-1045&branch=main`);
}
