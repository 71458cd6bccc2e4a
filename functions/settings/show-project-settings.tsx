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
  async show({ visit, caller, refused }, services) {
    const [project, automation] = await Promise.all([
      readProjectSettings(services, caller),
      may(visit.person, 'projects:write') ? readAutomationOfProject(services, caller) : undefined,
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
