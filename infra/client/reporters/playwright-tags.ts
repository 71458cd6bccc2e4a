/** The tags of a Playwright test, such as `@slow`. Playwright tells them since 1.42. Before, they were in titles only. */
export const playwrightTags = (
  { tags }: { readonly tags?: readonly string[] },
  title: readonly string[],
): readonly string[] => tags ?? title.join(' ').match(/@\S+/g) ?? [];
