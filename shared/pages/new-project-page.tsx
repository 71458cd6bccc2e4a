/** Creates a project. */
import type { Html } from '#shared/engine/html/html.ts';
import { ORGANIZATION_LIMITS } from '#shared/organizations/limits.ts';
import type { OrganizationVisit } from '#shared/sign-in/visit.ts';
import { organizationPageHref } from './hrefs.ts';
import { DefaultBranchField, ProjectNameField } from './project-fields.tsx';
import { problemAbout, RefusalMessage, sentValue } from './refused-form.tsx';
import { FormId } from './shown-once.tsx';
import type { RefusedForm } from './view.ts';

interface Props {
  readonly visit: OrganizationVisit;
  readonly formId: string;
  readonly refused: RefusedForm | undefined;
}

export function NewProjectPage({ visit, formId, refused }: Props): Html {
  const sent = (name: string) => sentValue(refused, 'submitNewProject', name);
  return (
    <>
      <h1>New project</h1>
      <p>A project contains the runs of one product or repository. You can change its settings later.</p>
      <form method="post" action={organizationPageHref(visit, 'projects', 'new')}>
        <RefusalMessage refused={refused} of="submitNewProject" />
        <FormId formId={formId} />
        <ProjectNameField
          value={sent('name')}
          problem={problemAbout(refused, 'submitNewProject', 'name of a project')}
        />
        <DefaultBranchField
          value={sent('defaultBranchName') ?? ORGANIZATION_LIMITS.defaultBranchName}
          problem={problemAbout(refused, 'submitNewProject', 'name of a branch')}
        />
        <button type="submit">Create project</button>
      </form>
    </>
  );
}
