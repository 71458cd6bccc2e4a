import { endpoint } from '#shared/endpoint.ts';
import { nothing, ok } from '#shared/envelope.ts';
import { updateTestRecord } from '#shared/recording/record-test.ts';
import { UpdateTestRecordBody } from '#shared/recording/test-wire.ts';
import { id } from '#shared/resources/names.ts';

export const handler = endpoint({
  operationId: 'updateTestRecord',
  route: 'PUT /test-record/{recordId}',
  at: 'origin',
  permission: 'record',
  access: { table: 'readWrite', artifacts: 'none' },
  summary: 'A later message about a test; replaces its attempts',
  path: { recordId: id },
  body: UpdateTestRecordBody,
  response: nothing,
  async handle({ caller: { organizationId }, path: { recordId }, body, sent }, services) {
    await updateTestRecord(services, { organizationId, recordId, body, sent });
    return ok({});
  },
});
