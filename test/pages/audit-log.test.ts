import { expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { createApiKey } from '#shared/organizations/create-api-key.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { deleteApiKey } from '#shared/organizations/delete-api-key.ts';
import { inviteMember } from '#shared/organizations/invitations.ts';
import { removeMember } from '#shared/organizations/members.ts';
import { revokePersonalToken } from '#shared/organizations/personal-tokens.ts';
import { deleteWebhook } from '#shared/webhooks/change-webhook.ts';
import { member, token } from '#test/harness/people.ts';
import { withWebhook } from './webhook-stage.ts';

test('The audit log shows the name and the id of each changed object, even after the object was deleted', async () => {
  const here = await withWebhook();
  const { services, organizationId, admin, hookId } = here;
  const scope = { organizationId, actor: OPERATOR };
  const shown = async () => (await admin.get(`/${organizationId}/settings/audit`)).text;
  const { projectId } = await createProject(services, { ...scope, name: 'Warehouse' });
  const key = await createApiKey(services, { ...scope, label: 'CI (old)', level: 'readOnly' });
  const { accountId } = await member(here, 'guest');
  const { tokenId } = await token(here, { name: 'old: laptop' });
  expect(await shown()).toMatch(new RegExp(`webhook created: Chat.*Chat\\s*${hookId}`));
  await deleteWebhook(services, { ...scope, hookId });
  await deleteApiKey(services, { ...scope, keyId: key.keyId });
  await removeMember(services, { ...scope, accountId });
  await revokePersonalToken(services, { ...scope, tokenId });
  await inviteMember(services, { ...scope, email: 'new@example.com', role: 'guest' });
  const text = await shown();
  const subjects = [
    ['project created', 'Warehouse', projectId],
    ['API key deleted', 'CI \\(old\\)', key.keyId],
    ['webhook deleted', 'Chat', hookId],
    ['member removed', 'Alex Doe', accountId],
    ['token revoked', 'old: laptop', tokenId],
  ] as const;
  for (const [action, name, id] of subjects) expect(text).toMatch(new RegExp(`${action}.*?${name}\\s*${id}`));
  expect(text).toContain('member invited: new@example.com');
});

test('The audit log names the project of a change, and says nothing twice', async () => {
  const { organizationId, projectId, admin } = await withWebhook();
  const { text, html } = await admin.get(`/${organizationId}/settings/audit`);
  expect(text).toContain('project Shop');
  expect(html).toContain(`title="${projectId}"`);
  expect(text).not.toContain(`project ${projectId}`);
  expect(text).toMatch(/project created: Shop\s*operator/);
});

test('The audit log is searched by words of the change, of the person or of the subject, and by dates', async () => {
  const here = await withWebhook();
  const { services, organizationId, admin } = here;
  const scope = { organizationId, actor: OPERATOR };
  await createApiKey(services, { ...scope, label: 'CI', level: 'readWrite' });
  const { accountId } = await member(here, 'guest');
  await removeMember(services, { ...scope, accountId });
  const search = async (query: string) => (await admin.get(`/${organizationId}/settings/audit?${query}`)).text;
  expect(await search('search=removed+doe')).toMatch(/member removed.*Alex Doe/);
  expect(await search('search=removed+doe')).not.toContain('API key created');
  expect(await search('search=%22read+%26+write%22')).toContain('API key created');
  expect(await search('search=nothing+of+this')).toContain('No records match');
  expect(await search('date_end=2000-01-01')).toContain('No records match');
  expect(await search('date_start=2000-01-01')).toContain('API key created');
});

test('The audit log can be downloaded as a CSV file with the records that its page shows, in which no name is a formula', async () => {
  const here = await withWebhook();
  const { services, organizationId, admin } = here;
  const scope = { organizationId, actor: OPERATOR };
  await createApiKey(services, { ...scope, label: '=HYPERLINK("http://evil.example")', level: 'readWrite' });
  const log = `/${organizationId}/settings/audit?search=%22API+key+created%22`;
  const link = (await admin.get(log)).links.find((one) => one.includes('format=csv')) ?? '';
  const { headers, html } = await admin.get(link);
  expect(headers.get('content-type')).toContain('text/csv');
  expect(headers.get('content-disposition')).toBe('attachment; filename="audit-log.csv"');
  const [head, ...rows] = html.trim().split('\r\n');
  expect(head).toBe('time,change,by,subject,subjectId,detail,imported');
  expect(rows.find((row) => row.includes('HYPERLINK'))).toMatch(
    /^[-\dT:.]+Z,API key created,operator,"'=HYPERLINK\(""http.*""\)",\w+,"'=HYPERLINK\(.* \(Read & Write, \.\.\.\w{4}\)",no$/,
  );
  expect(rows.filter((row) => !row.includes(',API key created,'))).toEqual([]);
  expect((await admin.get(`${log}&format=pdf`)).status).toBe(400);
});
