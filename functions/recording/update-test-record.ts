import { nothing, wrapOk } from '#shared/engine/http/envelope.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { updateTestRecord } from '#shared/recording/published/record-test.ts';
import { UpdateTestRecordBody } from '#shared/recording/published/test-wire.ts';

export const handler = endpoint({
  operationId: 'updateTestRecord',
  route: 'PUT /test-record/{recordId}',
  at: 'both',
  permission: 'record',
  access: { table: 'readWrite', artifacts: 'none' },
  summary: 'Update a test record and replace its attempts',
  body: UpdateTestRecordBody,
  response: nothing,
  refuses: ['notFound'],
  async handle({ actor: { organizationId }, path: { recordId }, body, sent }, services) {
    await updateTestRecord(services, { organizationId, recordId, body, sent });
    return wrapOk({});
  },
});
