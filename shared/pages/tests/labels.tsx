/** The tags and annotations that people wrote on a test. A description that is a web address is a link. */
import type { TestContext } from '#shared/context/context-wire.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { findWebAddress } from '#shared/engine/web-address.ts';
import { Icon } from '#shared/pages/design/icon.tsx';

/** `SHOP-42` of `https://tracker.example/browse/SHOP-42`. Never the whole path, so that a chip stays short. */
const nameAddress = (address: string): string => {
  const { hostname, pathname } = new URL(address);
  const last = pathname.split('/').filter(Boolean).at(-1);
  return last === undefined ? hostname : `${hostname} › ${last}`;
};

export function Labels({ context: { annotations = [], tags = [] } }: { readonly context: TestContext }): Html {
  if (annotations.length + tags.length === 0) return <></>;
  return (
    <p class="labels">
      {tags.map((tag) => (
        <span class="tag">
          <Icon name="hash" size="small" />
          {tag.replace(/^@/, '')}
        </span>
      ))}
      {annotations.map(({ type, description }) => {
        const address = findWebAddress(description);
        return (
          <span class="tag">
            <b>{type}</b>{' '}
            {address === undefined ? (
              description
            ) : (
              <a href={address} rel="noreferrer" title={address}>
                {nameAddress(address)}
              </a>
            )}
          </span>
        );
      })}
    </p>
  );
}
