import { id } from '#shared/model/names.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { creationTurns } from '#shared/model/organizations/creation-turn.ts';
import { shares, sharesOfProject } from '#shared/model/organizations/share.ts';
import { submittedForms } from '#shared/model/submitted-form.ts';
import { CreatedSharePage } from '#shared/pages/shares/new-share-page.tsx';
import { form } from '#shared/platform/page.ts';
import { createShare } from '#shared/shares/create-share.ts';
import { ShareForm } from '#shared/shares/share-wire.ts';

export const handler = form({
  operationId: 'submitNewShare',
  route: 'POST /{organizationId}/{projectId}/shares/new',
  needs: 'shares:write',
  fresh: 'share a result',
  access: {
    table: 'readWrite',
    writes: [shares, sharesOfProject, auditRecords, submittedForms, creationTurns],
    artifacts: 'none',
  },
  fields: ShareForm.extend({ formId: id }),
  page: 'showNewShare',
  async submit({ visit, caller, fields: { formId, ...shareFields } }, services) {
    const share = await createShare(services, {
      ...caller,
      formId,
      input: { ...shareFields, projectId: caller.projectId },
    });
    const body = <CreatedSharePage visit={visit} share={share} origin={services.origin} />;
    return { title: 'Share', tab: 'Runs', hasSecret: true, body };
  },
});
