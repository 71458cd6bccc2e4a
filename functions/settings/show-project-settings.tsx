import { may } from '#shared/access/may.ts';
import { readAutomationOfProject } from '#shared/issues/automation/settings.ts';
import { readProjectSettings } from '#shared/organizations/project-settings.ts';
import { ProjectSettingsPage } from '#shared/pages/settings/project-settings-page.tsx';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showProjectSettings',
  route: 'GET /{organizationId}/{projectId}/settings',
  needs: 'projects:read',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, refused }, services) {
    const { organizationId, projectId, person: actor } = visit;
    const request = { organizationId, projectId, actor };
    const [project, automation] = await Promise.all([
      readProjectSettings(services, request),
      may(actor, 'projects:write') ? readAutomationOfProject(services, request) : undefined,
    ]);
    const { defaultRetention } = services;
    return {
      title: 'Settings',
      tab: 'Settings',
      body: (
        <ProjectSettingsPage {...{ visit, project, automation, defaultRetention, refused }} origin={services.origin} />
      ),
    };
  },
});
