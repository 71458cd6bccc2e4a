/** The terms and instructions of code hosts. The files in `hosts/` call their APIs. */
import type { HostKind } from '#shared/model/events/notification.ts';

export interface HostTexts {
  readonly name: string;
  /** What the host calls a repository. */
  readonly place: string;
  readonly placeAdvice: string;
  readonly isPlace: (text: string) => boolean;
  /** What the host calls a pull request. */
  readonly change: string;
  /** The API address of the public service. */
  readonly apiUrl: string;
  readonly ownServer: string;
  readonly ownApiUrl: string;
  /** What the token must be allowed to do. */
  readonly tokenAdvice: string;
  /** How the host can require the status before a merge. */
  readonly requiring: string;
}

const REPOSITORY = /^[a-z\d](?:[a-z\d-]{0,38})\/(?!\.{1,2}$)[\w.-]{1,100}$/i;
/** One name in the path of a GitLab project. */
const PATH_NAME = /^\w[\w.-]*$/;

const isProject = (text: string): boolean => {
  const names = text.split('/');
  return names.length === 1 ? /^[1-9]\d*$/.test(text) : names.every((name) => PATH_NAME.test(name));
};

export const CODE_HOSTS: Readonly<Record<HostKind, HostTexts>> = {
  github: {
    name: 'GitHub',
    place: 'repository',
    placeAdvice: 'owner and name, such as acme/shop',
    isPlace: (text) => REPOSITORY.test(text),
    change: 'pull request',
    apiUrl: 'https://api.github.com',
    ownServer: 'GitHub Enterprise Server',
    ownApiUrl: 'https://github.example.com/api/v3',
    tokenAdvice: 'The token needs write access to commit statuses and pull requests',
    requiring: 'You can require this status in branch protection',
  },
  gitlab: {
    name: 'GitLab',
    place: 'project',
    placeAdvice: 'path or id, such as acme/web/shop or 4711',
    isPlace: isProject,
    change: 'merge request',
    apiUrl: 'https://gitlab.com/api/v4',
    ownServer: 'your own GitLab',
    ownApiUrl: 'https://gitlab.example.com/api/v4',
    tokenAdvice:
      'The token needs the scope api and the role Developer, or Maintainer for commits of protected branches',
    requiring: 'Merge requests wait for this status if the project requires successful pipelines',
  },
};
