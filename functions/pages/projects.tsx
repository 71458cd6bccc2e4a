import * as z from 'zod';
import { may } from '#shared/access/may.ts';
import { redirect } from '#shared/engine/http/content.ts';
import { readAutomationOfProject } from '#shared/issues/automation/settings.ts';
import { dueProjects } from '#shared/model/due.ts';
import { id } from '#shared/model/names.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { projects, projectsOfOrganization } from '#shared/model/organizations/project.ts';
import { submittedForms } from '#shared/model/submitted-form.ts';
import { listNotifications } from '#shared/notifications/find-notifications.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { deleteProject, restoreProject } from '#shared/organizations/delete-project.ts';
import { parseSettingsChange } from '#shared/organizations/entered-settings.ts';
import { ORGANIZATION_LIMITS } from '#shared/organizations/limits.ts';
import { makeFormId } from '#shared/organizations/only-once.ts';
import { changeProjectSettings, readProjectSettings } from '#shared/organizations/project-settings.ts';
import { TextField } from '#shared/pages/design/fields.tsx';
import { SHOWN_RECEIVERS } from '#shared/pages/settings/connection-states.tsx';
import { NewProjectPage } from '#shared/pages/settings/new-project-page.tsx';
import { ProjectSettingsPage } from '#shared/pages/settings/project-settings-page.tsx';
import { SentSettings } from '#shared/pages/settings/settings-wire.ts';
import { readFormEntries } from '#shared/pages/shell/form-entries.ts';
import { linkToOrganization, linkToProjectSettings, linkToRuns } from '#shared/pages/shell/hrefs.ts';
import { QuestionPage } from '#shared/pages/shell/question-page.tsx';
import { form, page } from '#shared/platform/page.ts';
import { listWebhooks } from '#shared/webhooks/find-webhook.ts';
import { readLastDeliveries } from '#shared/webhooks/list-deliveries.ts';

export const showProject = page({
  operationId: 'showProject',
  route: 'GET /{organizationId}/{projectId}',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  show: ({ visit }) => redirect(linkToRuns(visit)),
});

export const showNewProject = page({
  operationId: 'showNewProject',
  route: 'GET /{organizationId}/projects/new',
  lambda: 'settings',
  needs: 'projects:write',
  access: { table: 'none', artifacts: 'none' },
  show: ({ visit, refused }, services) => ({
    title: 'New project',
    tab: 'Overview',
    breadcrumbs: [{ name: 'Overview', href: linkToOrganization(visit) }, { name: 'New project' }],
    hasSecret: true,
    body: <NewProjectPage visit={visit} refused={refused} formId={makeFormId(services)} />,
  }),
});

export const submitNewProject = form({
  operationId: 'submitNewProject',
  route: 'POST /{organizationId}/projects/new',
  needs: 'projects:write',
  access: {
    table: 'readWrite',
    writes: [projects, projectsOfOrganization, auditRecords, submittedForms],
    artifacts: 'none',
  },
  fields: z.object({ formId: id, name: z.string(), defaultBranchName: z.string() }),
  page: 'showNewProject',
  async submit({ visit, caller, fields }, services) {
    const { projectId } = await createProject(services, { ...caller, ...fields });
    return redirect(linkToRuns({ ...visit, projectId }));
  },
});

export const showProjectSettings = page({
  operationId: 'showProjectSettings',
  route: 'GET /{organizationId}/{projectId}/settings',
  lambda: 'settings',
  needs: 'projects:read',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, refused }, services) {
    const mayChange = may(visit.person, 'projects:write');
    const [project, automation, notifications, webhooks] = await Promise.all([
      readProjectSettings(services, caller),
      mayChange ? readAutomationOfProject(services, caller) : undefined,
      mayChange ? listNotifications(services, caller) : undefined,
      may(visit.person, 'webhooks:read') ? listWebhooks(services, caller) : undefined,
    ]);
    const hookIds = (webhooks ?? []).slice(0, SHOWN_RECEIVERS).map(({ hookId }) => hookId);
    const receivers = { notifications, webhooks, lastOf: await readLastDeliveries(services, { ...caller, hookIds }) };
    const { defaultRetention } = services;
    return {
      title: 'Settings',
      tab: 'Settings',
      body: (
        <ProjectSettingsPage
          {...{ visit, project, automation, connected: receivers, defaultRetention, refused }}
          origin={services.origin}
          now={services.now()}
        />
      ),
    };
  },
});

export const submitProjectSettings = form({
  operationId: 'submitProjectSettings',
  route: 'POST /{organizationId}/{projectId}/settings',
  needs: 'projects:write',
  access: { table: 'readWrite', writes: [projects, auditRecords], artifacts: 'none' },
  fields: SentSettings,
  page: 'showProjectSettings',
  async submit({ visit, caller, fields }, services) {
    await changeProjectSettings(services, { ...caller, settings: (project) => parseSettingsChange(project, fields) });
    return redirect(linkToProjectSettings(visit));
  },
});

export const showDeleteProject = page({
  operationId: 'showDeleteProject',
  route: 'GET /{organizationId}/{projectId}/settings/delete',
  lambda: 'settings',
  needs: 'projects:write',
  adds: true,
  fresh: 'delete a project',
  access: { table: 'read', artifacts: 'none' },
  show: ({ visit, refused }) => ({
    title: `Delete ${visit.project.name}`,
    tab: 'Settings',
    breadcrumbs: [{ name: 'Settings', href: linkToProjectSettings(visit) }, { name: 'Delete' }],
    body: (
      <QuestionPage
        question={`Delete the project ${visit.project.name}?`}
        action={linkToProjectSettings(visit, 'delete')}
        refused={refused}
        input={
          <TextField
            label="Name of the project"
            {...readFormEntries(refused, 'submitDeleteProject').field('name')}
            hint={`To confirm, type ${visit.project.name}`}
            maxlength={ORGANIZATION_LIMITS.nameCharacters}
            autocomplete="off"
            required
          />
        }
        yes="Delete this project"
        back={linkToProjectSettings(visit)}
      >
        The project will record no new runs, so CI jobs that start one will fail. After 30 days, its runs, files, rules,
        webhooks and all other data will be removed. Until then, an Admin can restore the project.
      </QuestionPage>
    ),
  }),
});

export const submitDeleteProject = form({
  operationId: 'submitDeleteProject',
  route: 'POST /{organizationId}/{projectId}/settings/delete',
  needs: 'projects:write',
  fresh: 'delete a project',
  access: { table: 'readWrite', writes: [projects, dueProjects, auditRecords], artifacts: 'none' },
  fields: z.object({ name: z.string().default('') }),
  page: 'showDeleteProject',
  async submit({ visit, caller, fields: { name: typedName } }, services) {
    await deleteProject(services, { ...caller, typedName });
    return redirect(linkToProjectSettings(visit));
  },
});

export const submitRestoreProject = form({
  operationId: 'submitRestoreProject',
  route: 'POST /{organizationId}/{projectId}/settings/restore',
  needs: 'projects:write',
  access: { table: 'readWrite', writes: [projects, dueProjects, auditRecords], artifacts: 'none' },
  page: 'showProjectSettings',
  async submit({ visit, caller }, services) {
    await restoreProject(services, caller);
    return redirect(linkToProjectSettings(visit));
  },
});
