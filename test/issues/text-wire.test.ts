import { expect, test } from 'vitest';
import { Issue as GithubIssue } from '#shared/issues/trackers/github-wire.ts';
import { Issue as GitlabIssue } from '#shared/issues/trackers/gitlab-wire.ts';
import { OneIssue as LinearIssue } from '#shared/issues/trackers/linear-wire.ts';

const ISSUES = {
  GitHub: (url: string) => GithubIssue.safeParse({ number: 1, html_url: url, title: 't', state: 'open' }),
  GitLab: (url: string) => GitlabIssue.safeParse({ iid: 1, web_url: url, title: 't', state: 'opened' }),
  Linear: (url: string) =>
    LinearIssue.safeParse({
      issue: { id: '1', identifier: 'A-1', url, title: 't', state: { name: 'Todo', type: 'unstarted' } },
    }),
};

test.each(Object.entries(ISSUES))('An issue of %s has the address of a web page, or is refused', (_, parse) => {
  expect(parse('https://tracker.example/acme/shop/issues/1').success).toBe(true);
  expect(parse('http://10.1.2.3:8080/acme/shop/issues/1').success).toBe(true);
  for (const url of ['javascript:alert(1)', 'data:text/html,x', 'vbscript:x', `https://x/${'a'.repeat(3000)}`])
    expect(parse(url).success, url).toBe(false);
});
