/**
 * Interrupts the import of a report between its writes, and then repeats the message or the request that started the
 * import. `npm test` tries only some of the interruptions.
 */

import { describe, expect, test } from 'vitest';
import { computeIdentity, identifyReport, queueImport } from '#shared/imports/import-row.ts';
import { REPORT_CAPS, recordReports } from '#shared/imports/record-report.ts';
import { startImport } from '#shared/imports/start-import.ts';
import { getImportKey, type ImportOptions } from '#shared/model/runs/import.ts';
import { archive } from '#test/context/trace/archives.ts';
import { marksCorrection } from '#test/harness/analytics.ts';
import { sampled } from '#test/harness/cases.ts';
import { inFreeSlot } from '#test/harness/fair-shares.ts';
import { interruptions } from '#test/harness/interruptions.ts';
import { queueOf } from '#test/harness/queues.ts';
import { clock, FAR_FUTURE, service } from '#test/harness/service.ts';
import { junit } from '#test/imports/reports.ts';
import { sampleFile } from '#test/reports/sources.ts';

const JUNIT = new TextEncoder().encode(
  junit({ 'cart.test.ts': { sums: 'passed', rounds: 'failed' }, 'price.test.ts': { adds: 'skipped' } }),
);

/**
 * The blob reports of two machines whose tests have attached files. The import takes two steps, because each step
 * records spec files of only one machine.
 */
async function shards(): Promise<Uint8Array> {
  const names = [1, 2].map((shard) => `playwright-blob-1.65.1-shard-${shard}-of-2.zip`);
  return Uint8Array.from(
    archive(await Promise.all(names.map(async (name) => ({ name, content: await sampleFile(name) })))),
  );
}

/** Creates a tenant whose queues hold their messages back, because the test handles the messages itself. */
async function stage() {
  clock.set(FAR_FUTURE);
  const tenant = await service();
  for (const consumer of ['recordReport', 'confirmArtifact']) await queueOf(tenant.environment, consumer).delay(900);
  return tenant;
}

/**
 * Hides what may differ after a repeated import: the version of a summary, a digest that depends on the order in which
 * the database returned map entries, a mark that makes analytics read the run again, and the lock of an interrupted
 * request, which expires.
 */
const normal = (line: string): string => {
  if (line.includes('"pk":{"S":"START#')) return '';
  if (marksCorrection(line)) return '';
  const counted = line.replaceAll(/"version":\{"N":"\d+"\}/g, '"version":"any"');
  if (line.includes('"pk":{"S":"PROGRESS#')) return counted.replaceAll(/(?<="S":")[0-9a-v]{8}(?=\d+\.)/g, 'version ');
  return counted.replace(/"digest":\{"S":"[\w-]+"\}/, '"digest":"any"');
};

const CASES: readonly [name: string, read: () => Promise<Uint8Array>, options: ImportOptions][] = [
  ['two spec files', async () => JUNIT, { ciBuildId: 'b1' }],
  ['two spec files into a run that stays open', async () => JUNIT, { ciBuildId: 'b1', complete: false }],
  [
    'two spec files without a build',
    async () => JUNIT,
    { name: 'a.xml', branch: 'main', sha: 'abc', status: 'failed' },
  ],
  ['the reports and files of two machines', shards, { ciBuildId: 'b1' }],
];

describe('An import that is interrupted between its writes', () => {
  test.each(sampled(CASES, CASES.length))(
    'An interrupted import of %s is complete once the queue delivers its message again',
    async (_, read, options) => {
      const { services, environment, ...tenant } = await stage();
      const row = await queueImport(services, identifyReport({ ...tenant, options, file: await read() }));
      const message = { Records: [{ s3: { object: { key: getImportKey(row) } } }], rounds: 0 };
      const handle = (on: typeof services) => recordReports(inFreeSlot(on, REPORT_CAPS), message);
      const found = await interruptions({ environment, services, handle, normal });
      expect(found).toMatchObject({ differing: [], repeated: [] });
    },
  );

  test.each(sampled(CASES, CASES.length, 1))(
    'An interrupted import of %s is complete once the client repeats its request',
    async (_, read, options) => {
      const { services, environment, ...tenant } = await stage();
      const sent = { ...tenant, options, file: await read() };
      const handle = (on: typeof services) => startImport(on, sent);
      const found = await interruptions({ environment, services, handle, normal });
      expect(found).toMatchObject({ differing: [], repeated: [] });
    },
  );
});

test('The id of an import does not depend on the order of its options, because DynamoDB does not preserve this order', () => {
  const owner = { organizationId: 'o', projectId: 'p' };
  const options = { branch: 'main', sha: 'abc', status: 'failed' } as const;
  const reversed = Object.fromEntries(Object.entries(options).reverse());
  expect(computeIdentity({ ...owner, options: reversed }, 'c')).toEqual(computeIdentity({ ...owner, options }, 'c'));
});
