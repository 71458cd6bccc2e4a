/** The page with the form that creates a project. */
import type { Html } from '#shared/engine/html/html.ts';
import { ORGANIZATION_LIMITS } from '#shared/organizations/limits.ts';
import { FormActions, PageHead } from '#shared/pages/design/parts.tsx';
import { readFormEntries } from '#shared/pages/shell/form-entries.ts';
import { linkToOrganization, linkToOrganizationPage } from '#shared/pages/shell/hrefs.ts';
import { RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import { FormId } from '#shared/pages/shell/shown-once.tsx';
import type { WithForms } from '#shared/pages/shell/view.ts';
import type { OrganizationVisit } from '#shared/sign-in/visit.ts';
import { SettingField } from './project-fields.tsx';

interface Props extends WithForms<OrganizationVisit> {
  readonly formId: string;
}

export function NewProjectPage({ visit, formId, refused }: Props): Html {
  const { field } = readFormEntries(refused, 'submitNewProject');
  return (
    <>
      <PageHead title="New project" />
      <p>A project contains the runs of one product or repository. You can change its settings later.</p>
      <form method="post" action={linkToOrganizationPage(visit, 'projects', 'new')}>
        <RefusalMessage refused={refused} of="submitNewProject" />
        <FormId formId={formId} />
        <SettingField setting="name" {...field('name')} />
        <SettingField
          setting="defaultBranchName"
          {...field('defaultBranchName', ORGANIZATION_LIMITS.defaultBranchName)}
        />
        <FormActions cancelHref={linkToOrganization(visit)}>
          <button type="submit">Create project</button>
        </FormActions>
      </form>
    </>
  );
}
