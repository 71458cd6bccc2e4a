/** The repositories whose CI jobs record in a project without a key, and how to set their jobs up. */
import type { Html } from '#shared/engine/html/html.ts';
import type { TrustedRepository } from '#shared/model/organizations/trusted-repository.ts';
import { CI_PROVIDER_NAMES } from '#shared/model/runs/origin.ts';
import { formatKeylessDsn } from '#shared/organizations/dsn.ts';
import { AskedButton, SelectField, TextField } from '#shared/pages/design/fields.tsx';
import { Ago } from '#shared/pages/design/format.tsx';
import { Alternatives, CopiedText, EmptyState, Fact, GroupHead, PageHead, Panel } from '#shared/pages/design/parts.tsx';
import { readFormEntries } from '#shared/pages/shell/form-entries.ts';
import { FreshForm } from '#shared/pages/shell/fresh-form.tsx';
import { linkToTrustedCi } from '#shared/pages/shell/hrefs.ts';
import { isOfDeletedProject } from '#shared/pages/shell/may-add.ts';
import { RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import { FormId } from '#shared/pages/shell/shown-once.tsx';
import type { WithForms } from '#shared/pages/shell/view.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { CI_PROVIDERS } from '#shared/trusted-ci/claims.ts';
import { TRUSTED_CI_LIMITS } from '#shared/trusted-ci/limits.ts';

interface Props extends WithForms<ProjectVisit> {
  readonly repositories: readonly TrustedRepository[];
  readonly origin: string;
  readonly formId: string;
  /** The path of the page, without the base path. */
  readonly pathWithQuery: string;
  readonly isFresh: boolean;
  readonly now: number;
}

export const TrustedCiPage = (props: Props): Html => {
  const { visit, repositories, origin, now } = props;
  return (
    <>
      <PageHead
        title="Trusted CI"
        meta="Jobs of these repositories record results without a key. Their CI system proves who they are, and each run shows where it comes from."
      />
      {repositories.length === 0 ? (
        <EmptyState icon="shield" title="No repository yet">
          <p>Without one, CI jobs record with an API key that is stored as a secret.</p>
        </EmptyState>
      ) : (
        repositories.map((repository) => <RepositoryPanel visit={visit} repository={repository} now={now} />)
      )}
      {!isOfDeletedProject(visit) && (
        <>
          <GroupHead title="Trust a repository" />
          <NewRepository {...props} />
          <GroupHead title="Set up the jobs" note="Nothing here is secret." />
          <Alternatives
            legend="Which CI system runs your tests?"
            name="ci"
            alternatives={[
              { name: 'GitHub Actions', note: '', content: <CopiedText text={formatWorkflow(visit, origin)} /> },
              { name: 'GitLab CI', note: '', content: <CopiedText text={formatPipeline(visit, origin)} /> },
            ]}
          />
        </>
      )}
    </>
  );
};

const NewRepository = ({ visit, formId, pathWithQuery, isFresh, refused }: Props): Html => {
  const { field } = readFormEntries(refused, 'submitTrustedRepository');
  const { nameCharacters: maxlength } = TRUSTED_CI_LIMITS;
  return (
    <FreshForm
      visit={visit}
      isOpen={isFresh || refused?.operationId === 'submitTrustedRepository'}
      returnTo={pathWithQuery}
      form="submitTrustedRepository"
      action="trust a repository"
    >
      <form method="post" action={linkToTrustedCi(visit)}>
        <RefusalMessage refused={refused} of="submitTrustedRepository" />
        <FormId formId={formId} />
        <SelectField
          label="CI system"
          {...field('provider')}
          options={CI_PROVIDER_NAMES.map((value) => ({ value, label: CI_PROVIDERS[value].name }))}
        />
        <TextField
          label="Repository"
          {...field('repository')}
          hint="With its owner, such as acme/shop"
          maxlength={maxlength}
          required
        />
        <TextField
          label="Branch (optional)"
          {...field('branch')}
          hint="Only pushes to this branch may record, and no pull request. A * at the end stands for any rest"
          maxlength={maxlength}
        />
        <TextField
          label="Environment (optional)"
          {...field('environment')}
          hint="Only jobs in this environment of the CI system may record"
          maxlength={maxlength}
        />
        <TextField
          label="Issuer (optional)"
          {...field('issuer')}
          hint="Only for a server of your own: https://gitlab.example.com, or https://github.example.com/_services/token"
        />
        <button type="submit">Trust repository</button>
      </form>
    </FreshForm>
  );
};

interface PanelProps extends Pick<Props, 'visit' | 'now'> {
  readonly repository: TrustedRepository;
}

const RepositoryPanel = ({ visit, repository, now }: PanelProps): Html => {
  const { trustId, provider, issuer, repositoryId, branch, environment, lastUsedAt } = repository;
  const isOwnServer = issuer !== CI_PROVIDERS[provider].issuer;
  return (
    <Panel
      title={repository.repository}
      note={isOwnServer ? issuer : CI_PROVIDERS[provider].name}
      actions={
        <AskedButton
          action={linkToTrustedCi(visit, trustId, 'remove')}
          open="Remove…"
          label={`Remove ${repository.repository}…`}
          question="Its CI jobs can no longer record without an API key."
        >
          Remove this repository
        </AskedButton>
      }
    >
      <dl class="facts">
        <Fact name="Builds">
          {branch === undefined ? 'of all branches and pull requests' : `of the branch ${branch}`}
        </Fact>
        {environment !== undefined && <Fact name="Environment">{environment}</Fact>}
        <Fact name="Repository id">
          {repositoryId ??
            'not seen yet. The first job with this name fixes it, and a later repository of the name is refused'}
        </Fact>
        <Fact name="Last used">{lastUsedAt === undefined ? 'never' : <Ago at={lastUsedAt} now={now} />}</Fact>
      </dl>
    </Panel>
  );
};

const formatWorkflow = ({ organizationId, projectId }: ProjectVisit, origin: string): string =>
  `permissions:
  id-token: write
  contents: read
env:
  RUNDOWN_DSN: ${formatKeylessDsn(origin, organizationId, projectId)}`;

const formatPipeline = ({ organizationId, projectId }: ProjectVisit, origin: string): string =>
  `default:
  id_tokens:
    RUNDOWN_ID_TOKEN:
      aud: ${origin}
variables:
  RUNDOWN_DSN: ${formatKeylessDsn(origin, organizationId, projectId)}`;
