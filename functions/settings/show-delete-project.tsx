import { ORGANIZATION_LIMITS } from '#shared/organizations/limits.ts';
import { TextField } from '#shared/pages/design/fields.tsx';
import { readFormEntries } from '#shared/pages/shell/form-entries.ts';
import { linkToProjectSettings } from '#shared/pages/shell/hrefs.ts';
import { QuestionPage } from '#shared/pages/shell/question-page.tsx';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showDeleteProject',
  route: 'GET /{organizationId}/{projectId}/settings/delete',
  needs: 'projects:write',
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
