import { endpoint } from '#shared/platform/endpoint.ts';
import { createTestRecord } from '#shared/recording/published/record-test.ts';
import { CreateTestRecordBody, TestRecordAnswer } from '#shared/recording/published/test-wire.ts';

export const handler = endpoint({
  operationId: 'createTestRecord',
  route: 'POST /test-record',
  at: 'both',
  permission: 'record',
  access: { table: 'readWrite', artifacts: 'none' },
  summary: 'Record the start of a test',
  body: CreateTestRecordBody,
  response: TestRecordAnswer,
  refuses: ['notFound', 'runTakesNoMore'],
  handle: ({ actor: { organizationId }, body, sent }, services) =>
    createTestRecord(services, { organizationId, body, sent }),
});
