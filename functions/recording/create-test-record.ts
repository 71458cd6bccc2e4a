import { endpoint } from '#shared/endpoint.ts';
import { createTestRecord, TestRecordAnswer } from '#shared/recording/record-test.ts';
import { CreateTestRecordBody } from '#shared/recording/test-wire.ts';

export const handler = endpoint({
  operationId: 'createTestRecord',
  route: 'POST /test-record',
  at: 'origin',
  permission: 'record',
  access: { table: 'readWrite', artifacts: 'none' },
  summary: 'The first message about a test',
  body: CreateTestRecordBody,
  response: TestRecordAnswer,
  handle: ({ caller: { organizationId }, body, sent }, services) =>
    createTestRecord(services, { organizationId, body, sent }),
});
