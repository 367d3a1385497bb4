import type { Provenance } from '../../hail/observation.ts';
import type { RecordFact } from '../../log/facts.ts';
import type { topics } from '../../log/topics.ts';

/** What every draft tells of itself, whatever kind of fact it is going to be. */
export interface AnyDraft {
  /** The record's identity at its publisher. */
  record_key: string;
  /** The part of the publisher's holdings it was read in. */
  slice: string;
  provenance: Provenance;
}

/** What a published fact says as far as the index has to know. */
export interface Said {
  record_key: string;
  record_id: string;
  slice: string;
  /** Of its content: equal hashes are one revision. */
  hash: string;
  status: string;
  /** The publisher's version of the record; null where it has none. */
  version: string | null;
  /** The standings that the fact has, see `standings` below. */
  own: string[];
  /** The places that it names as superseded. */
  named: string[];
  /** False for what no projection takes: publishing the same again would come to nothing. */
  valid: boolean;
}

/**
 * One kind of facts that feeds publish: how the index keeps them and how a draft becomes a fact. A **place** is where a row of the fact can
 * stand in a view, as text; a **standing** is a mark of one letter, `|`, and a place. A kind whose rows never move has neither. Methods are
 * declared as such so that a kind of one fact can stand where any kind is asked for.
 */
export interface FactKind<Fact extends RecordFact = RecordFact, Draft extends AnyDraft = AnyDraft> {
  readonly topic: (typeof topics)['observation' | 'grid' | 'alert'];
  /** What precedes the record's key in a message's key. */
  prefix(publisher: string): string;
  said(fact: Fact): Said;
  contentHash(draft: Draft): string;
  standings(draft: Draft): string[];
  /** Of two drafts of one record in one document the one with more weight counts, where the publisher's versions do not decide. */
  weight(draft: Draft): number;
  /** The draft as a fact that takes the record's rows away from the places given. */
  fact(draft: Draft, superseded: readonly string[]): Fact;
  /** The fact that says that a record is no more; null where records of the kind are never withdrawn. */
  withdrawal(gone: Gone, superseded: readonly string[]): Fact | null;
  /** The fact without what its owner puts together at each publishing, as a draft. */
  draft(fact: Fact): Draft;
  messageKey(fact: Fact): string;
  /** Standings or places as one text for the index's file, and back. */
  pack(texts: readonly string[]): string;
  unpack(packed: string): string[];
}

/** A record that a complete reading of its slice no longer has. */
export interface Gone {
  publisher: string;
  record_key: string;
  record_id: string;
  slice: string;
  provenance: Provenance;
}

/** The place of a standing. */
export function placeOf(standing: string): string {
  return standing.slice(2);
}
