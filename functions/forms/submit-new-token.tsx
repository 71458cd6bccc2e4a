import * as z from 'zod';
import { id } from '#shared/model/names.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { personalTokens, tokensOfOrganization } from '#shared/model/organizations/personal-token.ts';
import { submittedForms } from '#shared/model/submitted-form.ts';
import { createPersonalToken } from '#shared/organizations/personal-tokens.ts';
import { CreatedTokenPage } from '#shared/pages/organization/new-token-page.tsx';
import { form } from '#shared/platform/page.ts';

export const handler = form({
  operationId: 'submitNewToken',
  route: 'POST /account/tokens/new',
  needs: 'account',
  fresh: 'create a personal access token',
  access: {
    table: 'readWrite',
    writes: [personalTokens, tokensOfOrganization, auditRecords, submittedForms],
    artifacts: 'none',
  },
  fields: z.object({
    formId: id,
    organizationId: id,
    name: z.string(),
    description: z.string().default(''),
    lifetime: z.string(),
    lastDay: z.string().default(''),
    permissions: z.union([z.string(), z.array(z.string())]).default([]),
  }),
  page: 'showNewToken',
  async submit({ visit, fields: { lastDay, description, ...tokenFields } }, services) {
    const token = await createPersonalToken(services, {
      ...tokenFields,
      actor: visit.person,
      description: description.trim() || undefined,
      lifetime: lastDay || tokenFields.lifetime,
      permissions: [tokenFields.permissions].flat(),
    });
    const body = <CreatedTokenPage visit={visit} token={token} origin={services.origin} />;
    return { title: 'New personal access token', hasSecret: true, body };
  },
});
