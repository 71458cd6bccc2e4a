/** The form that connects an issue tracker or changes the connection. */
import type { Html } from '#shared/engine/html/html.ts';
import { ISSUE_LIMITS } from '#shared/issues/limits.ts';
import { hasCredential } from '#shared/model/credential.ts';
import type { Integration } from '#shared/model/issues/integration.ts';
import { CONNECTION_FORMS, type ConnectionFormName } from '#shared/model/issues/tracker-kind.ts';
import type { ProjectRecord } from '#shared/model/organizations/project.ts';
import { CheckField, CheckGroup, RadioField, TextField } from '#shared/pages/design/fields.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { PageHead } from '#shared/pages/design/parts.tsx';
import { readFormEntries } from '#shared/pages/shell/form-entries.ts';
import { linkToIntegrations } from '#shared/pages/shell/hrefs.ts';
import { RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import type { WithForms } from '#shared/pages/shell/view.ts';
import { SENDING_LIMITS } from '#shared/sending/limits.ts';
import type { OrganizationVisit } from '#shared/sign-in/visit.ts';

interface Props extends WithForms<OrganizationVisit> {
  readonly tracker: ConnectionFormName;
  /** The connection to change. Absent for a new one. */
  readonly integration?: Integration;
  readonly projects: readonly ProjectRecord[];
}

export const IntegrationPage = (props: Props): Html => {
  const { visit, tracker, integration } = props;
  const { name, token } = CONNECTION_FORMS[tracker];
  return (
    <>
      <PageHead
        title={integration ? `Change ${integration.name}` : `Connect ${name}`}
        meta="Rundown checks the token before it saves the connection."
      />
      <form
        method="post"
        action={
          integration
            ? linkToIntegrations(visit, integration.integrationId, 'edit')
            : linkToIntegrations(visit, 'connect', tracker)
        }
      >
        <p>
          Where to create the token:{' '}
          <a href={token.page.url} rel="noreferrer">
            {token.page.name}
            <Icon name="external-link" size="small" />
          </a>
          . {token.needs}
        </p>
        <Fields {...props} />
        <div class="actions">
          <button type="submit">{integration ? 'Save' : `Connect ${name}`}</button>
          <a href={linkToIntegrations(visit)}>Cancel</a>
        </div>
      </form>
    </>
  );
};

function Fields({ tracker, integration, projects, refused }: Props): Html {
  const of = integration ? 'submitIntegrationChange' : 'submitNewIntegration';
  const { name, address, hasAccount, token } = CONNECTION_FORMS[tracker];
  const { field, sent, all, problem } = readFormEntries(refused, of);
  const hasToken = integration !== undefined && hasCredential(integration);
  return (
    <>
      <RefusalMessage refused={refused} of={of} />
      <TextField
        label="Name"
        {...field('name', integration?.name ?? name)}
        maxlength={ISSUE_LIMITS.nameCharacters}
        hint={`A name that people recognize, such as ${name} (shop team)`}
        required
      />
      <TextField
        label={address.label}
        type="url"
        {...field('apiUrl', integration?.apiUrl ?? address.default)}
        maxlength={SENDING_LIMITS.urlCharacters}
        hint={address.hint}
        required
      />
      {hasAccount && (
        <TextField
          label="Email address"
          type="email"
          {...field('account', integration?.account)}
          maxlength={ISSUE_LIMITS.accountCharacters}
          hint="The address of the account that owns the API token"
          autocomplete="off"
          required
        />
      )}
      <TextField
        label={token.label}
        name="token"
        type="password"
        maxlength={ISSUE_LIMITS.tokenCharacters}
        hint={
          hasToken
            ? 'Leave the field empty to keep the stored token. If you change the address or the account, enter the token again'
            : 'The token is stored encrypted and never shown again'
        }
        problem={problem('token')}
        autocomplete="off"
        required={!hasToken}
      />
      <Projects
        projects={projects}
        isAll={(sent('projects') ?? (integration?.projectIds ? 'chosen' : 'all')) === 'all'}
        chosen={all('projectIds') ?? integration?.projectIds ?? []}
        problem={problem('projectIds')}
      />
    </>
  );
}

interface ProjectsProps {
  readonly projects: readonly ProjectRecord[];
  readonly isAll: boolean;
  readonly chosen: readonly string[];
  readonly problem: string | undefined;
}

const Projects = ({ projects, isAll, chosen, problem }: ProjectsProps): Html => (
  <CheckGroup legend="Projects that may use the connection" name="projectIds" problem={problem}>
    <RadioField label="All projects, including future ones" name="projects" value="all" checked={isAll} />
    <RadioField label="Only these projects:" name="projects" value="chosen" checked={!isAll} />
    {projects.map(({ projectId, name }) => (
      <CheckField
        label={name}
        name="projectIds"
        value={projectId}
        checked={chosen.includes(projectId)}
        problem={problem}
      />
    ))}
  </CheckGroup>
);
