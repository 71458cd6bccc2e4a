import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { creationTurns } from '#shared/model/organizations/creation-turn.ts';
import { shares, sharesOfProject } from '#shared/model/organizations/share.ts';
import { submittedForms } from '#shared/model/submitted-form.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { repeatByKey } from '#shared/platform/idempotency-key.ts';
import { NOT_FOR_AGENTS } from '#shared/results/executions/target-wire.ts';
import { createShare } from '#shared/shares/create-share.ts';
import { CreatedShare, NewShare } from '#shared/shares/share-wire.ts';

/** §5.3 */
export const handler = endpoint({
  operationId: 'createShare',
  route: 'POST /shares',
  alias: '/share',
  permission: 'shares:write',
  access: {
    table: 'readWrite',
    writes: [shares, sharesOfProject, auditRecords, creationTurns, submittedForms],
    artifacts: 'none',
  },
  summary: 'Create a link through which anyone can see a result',
  description:
    'The link shows a run, one spec file of it, or one test, with its evidence and files, until it expires or is revoked. If several results match, the request is refused with `code: "ambiguous_target"` and `candidates`.',
  body: NewShare,
  success: 201,
  repeats: repeatByKey,
  response: single(CreatedShare),
  refuses: ['notFound', 'conflict'],
  tool: {
    description:
      'Use it only when a person asked for a link that works without an account. Anyone with the link sees the result until it expires. Needs `runId` from list_runs, or `instanceId` and `testId` from get_context.',
    hints: { destructiveHint: false, idempotentHint: false },
    without: { ...NOT_FOR_AGENTS, projectId: 'The project follows from `runId` or `instanceId`' },
  },
  async handle({ caller, body }, services) {
    return wrapData(await createShare(services, { ...caller, input: body }));
  },
});
