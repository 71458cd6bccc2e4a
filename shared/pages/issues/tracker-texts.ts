/** What the pages say about each issue tracker: names, addresses, and where to get a token. */
import type { Integration, TrackerKind } from '#shared/model/issues/integration.ts';

/** Jira Cloud and Jira Data Center have different credentials, so they have different forms. */
export const TRACKERS = ['jira-cloud', 'jira-data-center', 'github', 'gitlab', 'linear'] as const;
export type TrackerName = (typeof TRACKERS)[number];

interface TrackerTexts {
  readonly kind: TrackerKind;
  readonly name: string;
  /** The name of the service, as in `Create the issue in Jira`. */
  readonly short: string;
  /** What the tracker calls its projects, in the singular and the plural. */
  readonly place: string;
  readonly places: string;
  readonly address: { readonly label: string; readonly default: string; readonly hint: string };
  /** Whether the form asks for the email address of the account. */
  readonly hasAccount: boolean;
  readonly token: {
    readonly label: string;
    /** A link to the page on which people create the token, or to instructions. */
    readonly page: { readonly name: string; readonly url: string };
    readonly needs: string;
  };
  /** An example of an issue key. */
  readonly key: string;
}

export const TRACKER_TEXTS: Readonly<Record<TrackerName, TrackerTexts>> = {
  'jira-cloud': {
    kind: 'jira',
    name: 'Jira Cloud',
    short: 'Jira',
    place: 'Jira project',
    places: 'Jira projects',
    address: { label: 'Site', default: '', hint: 'The address of your site, such as https://acme.atlassian.net' },
    hasAccount: true,
    token: {
      label: 'API token',
      page: {
        name: 'Security settings of the Atlassian account',
        url: 'https://id.atlassian.com/manage-profile/security/api-tokens',
      },
      needs:
        'Create it without scopes. Its account must be allowed to browse the Jira projects, and to create, comment on and transition issues in them.',
    },
    key: 'SHOP-12',
  },
  'jira-data-center': {
    kind: 'jira',
    name: 'Jira Data Center',
    short: 'Jira',
    place: 'Jira project',
    places: 'Jira projects',
    address: { label: 'Site', default: '', hint: 'The address of your server, such as https://jira.example.com' },
    hasAccount: false,
    token: {
      label: 'Personal access token',
      page: {
        name: 'Profile, Personal access tokens',
        url: 'https://confluence.atlassian.com/enterprise/using-personal-access-tokens-1026032365.html',
      },
      needs:
        'Its account must be allowed to browse the Jira projects, and to create, comment on and transition issues in them.',
    },
    key: 'SHOP-12',
  },
  github: {
    kind: 'github',
    name: 'GitHub',
    short: 'GitHub',
    place: 'repository',
    places: 'repositories',
    address: {
      label: 'API address',
      default: 'https://api.github.com',
      hint: 'For GitHub Enterprise Server, enter the address of its API, such as https://github.example.com/api/v3',
    },
    hasAccount: false,
    token: {
      label: 'Fine-grained token',
      page: {
        name: 'New fine-grained personal access token',
        url: 'https://github.com/settings/personal-access-tokens/new',
      },
      needs: 'It needs access to the repositories, with the repository permission Issues: Read and write.',
    },
    key: 'acme/shop#12',
  },
  gitlab: {
    kind: 'gitlab',
    name: 'GitLab',
    short: 'GitLab',
    place: 'GitLab project',
    places: 'GitLab projects',
    address: {
      label: 'API address',
      default: 'https://gitlab.com/api/v4',
      hint: 'For your own server, enter the address of its API, such as https://gitlab.example.com/api/v4',
    },
    hasAccount: false,
    token: {
      label: 'Access token',
      page: {
        name: 'Access tokens of a project or a group',
        url: 'https://docs.gitlab.com/user/project/settings/project_access_tokens/',
      },
      needs: 'It needs the scope api and at least the role Reporter.',
    },
    key: 'acme/shop#12',
  },
  linear: {
    kind: 'linear',
    name: 'Linear',
    short: 'Linear',
    place: 'team',
    places: 'teams',
    address: {
      label: 'API address',
      default: 'https://api.linear.app/graphql',
      hint: 'All workspaces of Linear use this address',
    },
    hasAccount: false,
    token: {
      label: 'Personal API key',
      page: { name: 'Security & access', url: 'https://linear.app/settings/account/security' },
      needs: 'It needs the permissions Read and Write, for all teams or for the teams in which issues are created.',
    },
    key: 'ENG-12',
  },
};

export const getTrackerName = ({ kind, account }: Pick<Integration, 'kind' | 'account'>): TrackerName =>
  kind === 'jira' ? (account === undefined ? 'jira-data-center' : 'jira-cloud') : kind;

export const getTrackerTexts = (integration: Pick<Integration, 'kind' | 'account'>): TrackerTexts =>
  TRACKER_TEXTS[getTrackerName(integration)];
