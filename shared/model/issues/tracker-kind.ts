/** The issue trackers: what pages, messages and forms say about each. The files in `shared/issues/trackers/` call their APIs. */

interface TrackerTexts {
  readonly name: string;
  /** What the tracker calls its projects, in the singular and the plural. */
  readonly place: string;
  readonly places: string;
  /** The same for texts about all trackers, if the word alone does not say which tracker is meant. */
  readonly placeOfTracker?: string;
  /** What people enter to name a project. */
  readonly placeId: string;
  /** An example of an issue key. */
  readonly key: string;
  /** Whether each project has its own types of issues, one of which a new issue must have. */
  readonly needsType?: true;
  /** Asks for a credential. */
  readonly tokenAdvice: string;
}

export const TRACKER_KINDS = ['jira', 'github', 'gitlab', 'linear'] as const;
export type TrackerKind = (typeof TRACKER_KINDS)[number];

export const TRACKERS: Readonly<Record<TrackerKind, TrackerTexts>> = {
  jira: {
    name: 'Jira',
    place: 'Jira project',
    places: 'Jira projects',
    placeId: 'the key of the project, such as SHOP',
    key: 'SHOP-12',
    needsType: true,
    tokenAdvice:
      'Enter an API token of Jira Cloud with the email address of its account, or a personal access token of Jira Data Center',
  },
  github: {
    name: 'GitHub',
    place: 'repository',
    places: 'repositories',
    placeId: 'the repository, such as acme/shop',
    key: 'acme/shop#12',
    tokenAdvice: 'Enter a fine-grained token that may read and write issues',
  },
  gitlab: {
    name: 'GitLab',
    place: 'GitLab project',
    places: 'GitLab projects',
    placeId: 'the path of the project, such as acme/shop',
    key: 'acme/shop#12',
    tokenAdvice: 'Enter a project access token with the scope api',
  },
  linear: {
    name: 'Linear',
    place: 'team',
    places: 'teams',
    placeOfTracker: 'Linear team',
    placeId: 'the id of the team',
    key: 'ENG-12',
    tokenAdvice: 'Enter a personal API key',
  },
};

/** For texts that name trackers, such as `Jira, GitHub, GitLab or Linear`. Leaves out those without a description. */
export const listTrackers = (format: (tracker: TrackerTexts) => string | undefined): string =>
  new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(
    Object.values(TRACKERS).flatMap((tracker) => format(tracker) ?? []),
  );

/** What the form that connects a tracker asks for. */
interface ConnectionForm {
  readonly kind: TrackerKind;
  readonly name: string;
  readonly address: { readonly label: string; readonly default: string; readonly hint: string };
  /** Whether the form asks for the email address of the account. */
  readonly hasAccount?: true;
  readonly token: {
    readonly label: string;
    /** A link to the page on which people create the token, or to instructions. */
    readonly page: { readonly name: string; readonly url: string };
    readonly needs: string;
  };
}

/** Jira Cloud and Jira Data Center have different credentials, so they have different forms. */
export const CONNECTION_FORM_NAMES = ['jira-cloud', 'jira-data-center', 'github', 'gitlab', 'linear'] as const;
export type ConnectionFormName = (typeof CONNECTION_FORM_NAMES)[number];

export const CONNECTION_FORMS: Readonly<Record<ConnectionFormName, ConnectionForm>> = {
  'jira-cloud': {
    kind: 'jira',
    name: 'Jira Cloud',
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
  },
  'jira-data-center': {
    kind: 'jira',
    name: 'Jira Data Center',
    address: { label: 'Site', default: '', hint: 'The address of your server, such as https://jira.example.com' },
    token: {
      label: 'Personal access token',
      page: {
        name: 'Profile, Personal access tokens',
        url: 'https://confluence.atlassian.com/enterprise/using-personal-access-tokens-1026032365.html',
      },
      needs:
        'Its account must be allowed to browse the Jira projects, and to create, comment on and transition issues in them.',
    },
  },
  github: {
    kind: 'github',
    name: 'GitHub',
    address: {
      label: 'API address',
      default: 'https://api.github.com',
      hint: 'For GitHub Enterprise Server, enter the address of its API, such as https://github.example.com/api/v3',
    },
    token: {
      label: 'Fine-grained token',
      page: {
        name: 'New fine-grained personal access token',
        url: 'https://github.com/settings/personal-access-tokens/new',
      },
      needs: 'It needs access to the repositories, with the repository permission Issues: Read and write.',
    },
  },
  gitlab: {
    kind: 'gitlab',
    name: 'GitLab',
    address: {
      label: 'API address',
      default: 'https://gitlab.com/api/v4',
      hint: 'For your own server, enter the address of its API, such as https://gitlab.example.com/api/v4',
    },
    token: {
      label: 'Access token',
      page: {
        name: 'Access tokens of a project or a group',
        url: 'https://docs.gitlab.com/user/project/settings/project_access_tokens/',
      },
      needs: 'It needs the scope api and at least the role Reporter.',
    },
  },
  linear: {
    kind: 'linear',
    name: 'Linear',
    address: {
      label: 'API address',
      default: 'https://api.linear.app/graphql',
      hint: 'All workspaces of Linear use this address',
    },
    token: {
      label: 'Personal API key',
      page: { name: 'Security & access', url: 'https://linear.app/settings/account/security' },
      needs: 'It needs the permissions Read and Write, for all teams or for the teams in which issues are created.',
    },
  },
};

interface Connection {
  readonly kind: TrackerKind;
  readonly account?: string | undefined;
}

export function getConnectionFormName({ kind, account }: Connection): ConnectionFormName {
  if (kind !== 'jira') return kind;
  return account === undefined ? 'jira-data-center' : 'jira-cloud';
}
