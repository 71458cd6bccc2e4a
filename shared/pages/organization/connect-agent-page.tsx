/** Explains how to connect an agent to the MCP server. */
import { may } from '#shared/access/may.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { accountFormHref, accountHref, organizationPageHref, withQuery } from '#shared/pages/shell/hrefs.ts';
import type { OrganizationVisit } from '#shared/sign-in/visit.ts';
import { type Agent, type AgentSetup, agentsFor, mcpUrl } from './agents.ts';

interface Props {
  readonly visit: OrganizationVisit;
  readonly origin: string;
  /** Whether agents can sign in with a browser. */
  readonly hasSignIn: boolean;
}

export const ConnectAgentPage = ({ visit, origin, hasSignIn }: Props): Html => {
  const agents = agentsFor(origin);
  return (
    <>
      <h1>Connect an agent</h1>
      <p>
        A connected agent can look up which runs failed, why, and since when. It uses the MCP server at{' '}
        <code>{mcpUrl(origin)}</code>.
      </p>
      {hasSignIn && <SignIn visit={visit} />}
      <Token visit={visit} hasSignIn={hasSignIn} />
      <ul class="counts">
        {agents.map(({ name, id }) => (
          <li>
            <a href={`#${id}`}>{name}</a>
          </li>
        ))}
      </ul>
      {agents.map((agent) => (
        <AgentSection agent={agent} hasSignIn={hasSignIn} />
      ))}
      <h2>Try it</h2>
      <p>Ask your agent:</p>
      <pre class="wrap">Which tests failed in the latest run on main, and why? Use Rundown.</pre>
    </>
  );
};

const SignIn = ({ visit }: Pick<Props, 'visit'>): Html => (
  <p>
    <strong>With your sign-in:</strong> the agent opens a browser, and you choose what it may access. It never gets more
    access than your role. You can disconnect it on your <a href={accountHref(visit)}>account page</a>.
  </p>
);

const Token = ({ visit, hasSignIn }: Pick<Props, 'visit' | 'hasSignIn'>): Html => (
  <p>
    <strong>With a token:</strong> {hasSignIn ? 'for machines without a browser. ' : ''}
    {may(visit.person, 'tokens:create') ? (
      <>
        <a href={withQuery(accountFormHref(visit, 'tokens/new'), { organization_id: visit.organizationId })}>
          Create a personal access token
        </a>{' '}
        with read permissions only, and put it in place of <code>{'<token>'}</code>.{' '}
      </>
    ) : (
      'Ask an Admin for a Read Only API key. '
    )}
    {may(visit.person, 'apiKeys:list') && (
      <>
        An <a href={organizationPageHref(visit, 'settings', 'api-keys')}>API key</a> works as well.
      </>
    )}
  </p>
);

const AgentSection = ({ agent, hasSignIn }: { readonly agent: Agent; readonly hasSignIn: boolean }): Html => (
  <section class="card" id={agent.id}>
    <h2>{agent.name}</h2>
    <div class="pair">
      {hasSignIn && <Setup title="With your sign-in" setup={agent.withSignIn} />}
      <Setup title="With a token" setup={agent.withToken} />
    </div>
  </section>
);

const Setup = ({ title, setup }: { readonly title: string; readonly setup: AgentSetup }): Html => (
  <div>
    <h3>{title}</h3>
    <p class="soft">
      {setup.file === undefined ? (
        'Run in a terminal:'
      ) : (
        <>
          Put this into <code>{setup.file}</code>:
        </>
      )}
    </p>
    <pre class="wrap">{setup.lines}</pre>
    <button type="button" class="quiet" hidden data-copy={setup.lines}>
      Copy
    </button>
    {setup.next !== undefined && <p>{setup.next}</p>}
  </div>
);
