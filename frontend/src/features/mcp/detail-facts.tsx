import type { ReactNode } from "react";

/** A titled part of a detail. */
export function Part({ title, children }: { title: string; children: ReactNode }) {
  return <section className="part" aria-label={title}><h3>{title}</h3>{children}</section>;
}

/** Names and values; what is empty is left out. */
export function FactList({ facts, label }: { facts: readonly [string, ReactNode][]; label: string }) {
  const there = facts.filter(([, value]) => value !== "" && value !== undefined && value !== null);
  if (there.length === 0) return null;
  return <dl className="facts" aria-label={label}>{there.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>;
}
