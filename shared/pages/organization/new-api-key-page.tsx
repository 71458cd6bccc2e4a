/** §5.1 Creates an API key, and shows its value once. */
import type { Html } from '#shared/engine/html/html.ts';
import type { ProjectRecord } from '#shared/model/organizations/project.ts';
import type { NewApiKey } from '#shared/organizations/create-api-key.ts';
import { ORGANIZATION_LIMITS } from '#shared/organizations/limits.ts';
import { SelectField, TextField } from '#shared/pages/design/fields.tsx';
import { FormActions, GroupHead, PageHead } from '#shared/pages/design/parts.tsx';
import { FrameworkSteps } from '#shared/pages/home/recording-steps.tsx';
import { readFormEntries } from '#shared/pages/shell/form-entries.ts';
import { linkToOrganizationSettings, linkToRuns } from '#shared/pages/shell/hrefs.ts';
import { RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import { FormId, ShownOnce } from '#shared/pages/shell/shown-once.tsx';
import type { WithForms } from '#shared/pages/shell/view.ts';
import type { OrganizationVisit } from '#shared/sign-in/visit.ts';
import { API_KEY_LEVELS, getLevelName } from './api-key-level.ts';

interface FormProps extends WithForms<OrganizationVisit> {
  readonly projects: readonly Pick<ProjectRecord, 'projectId' | 'name'>[];
  /** The project to record into, preselected by the link to this page. */
  readonly projectId: string | undefined;
  /** The framework that the person has chosen before. */
  readonly framework: string | undefined;
  readonly formId: string;
}

export function NewApiKeyPage({ visit, projects, projectId, framework, formId, refused }: FormProps): Html {
  const { field, sent } = readFormEntries(refused, 'submitNewApiKey');
  const chosenFramework = sent('framework') ?? framework;
  return (
    <>
      <PageHead
        title="New API key"
        meta={`It works for all projects of ${visit.organizationName}, until it is revoked.`}
      />
      <form method="post" action={linkToOrganizationSettings(visit, 'api-keys', 'new')}>
        <RefusalMessage refused={refused} of="submitNewApiKey" />
        <FormId formId={formId} />
        {chosenFramework !== undefined && <input type="hidden" name="framework" value={chosenFramework} />}
        <TextField
          label="Label"
          {...field('label')}
          maxlength={ORGANIZATION_LIMITS.nameCharacters}
          hint="A name such as CI. It is shown in lists and in the audit log"
          required
        />
        <SelectField
          label="Level"
          name="level"
          value={sent('level')}
          options={API_KEY_LEVELS.map((value) => ({ value, label: getLevelName(value) }))}
          hint="To record runs, choose Read & Write. To read runs and results, Read Only is enough"
        />
        {projects.length > 0 && (
          <SelectField
            label="Show how to record runs of the project"
            name="projectId"
            value={sent('projectId') ?? projectId}
            options={projects.map((project) => ({ value: project.projectId, label: project.name }))}
          />
        )}
        <FormActions cancelHref={linkToOrganizationSettings(visit, 'api-keys')}>
          <button type="submit">Create API key</button>
        </FormActions>
      </form>
    </>
  );
}

interface ShownProps {
  readonly visit: OrganizationVisit;
  readonly apiKey: NewApiKey;
  readonly origin: string;
  readonly project: Pick<ProjectRecord, 'projectId' | 'name'> | undefined;
  readonly framework: string | undefined;
}

export const CreatedApiKeyPage = ({ visit, apiKey, origin, project, framework }: ShownProps): Html => (
  <>
    <PageHead title={`${apiKey.label} was created`} />
    <ShownOnce name={`this ${getLevelName(apiKey.level)} key`} value={apiKey.value} />
    {apiKey.level === 'readWrite' && project && (
      <>
        <GroupHead title={`Record runs of ${project.name} with this key`} />
        <div class="reading">
          <FrameworkSteps origin={origin} projectId={project.projectId} apiKey={apiKey.value} framework={framework} />
        </div>
        <p>
          <a class="button" href={linkToRuns({ ...visit, ...project })}>
            Wait for the run of {project.name}
          </a>
        </p>
      </>
    )}
    <p>
      <a href={linkToOrganizationSettings(visit, 'api-keys')}>All API keys</a>
    </p>
  </>
);
