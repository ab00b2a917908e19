//! The exported functions for linkers: the version script of the shared library, the `.def` of the DLL.

use minijinja::{Value, context};

use crate::released::Node;
use crate::templates;

/// `src/ffi/exports.map`
pub fn version_script(nodes: &[Node]) -> String {
    templates::render("exports.map", context! { nodes => in_template(nodes) })
}

/// `src/ffi/exports.def`
pub fn module_definition(nodes: &[Node]) -> String {
    templates::render("exports.def", context! { nodes => in_template(nodes) })
}

fn in_template(nodes: &[Node]) -> Vec<Value> {
    let after = [String::new()].into_iter().chain(nodes.iter().map(|node| format!(" {}", node.name)));
    let pairs = nodes.iter().zip(after);
    pairs.map(|(node, after)| context! { name => &node.name, functions => &node.functions, after }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes() -> Vec<Node> {
        let node = |name: &str, functions: &[&str]| Node {
            name: name.to_owned(),
            functions: functions.iter().map(|name| (*name).to_owned()).collect(),
        };
        vec![
            node("PAYSVC_0.1", &["paysvc_a", "paysvc_b"]),
            node("PAYSVC_0.2", &["paysvc_c"]),
            node("PAYSVC_0.3", &["paysvc_d"]),
        ]
    }

    fn without_comment(text: &str) -> &str {
        &text[text.find("\nPAYSVC").or(text.find("\nLIBRARY")).unwrap() + 1..]
    }

    #[test]
    fn each_node_names_the_one_before_and_the_first_hides_the_rest() {
        assert_eq!(
            without_comment(&version_script(&nodes())),
            "PAYSVC_0.1 {\n    global:\n        paysvc_a;\n        paysvc_b;\n    local:\n        *;\n};\n\n\
             PAYSVC_0.2 {\n    global:\n        paysvc_c;\n} PAYSVC_0.1;\n\n\
             PAYSVC_0.3 {\n    global:\n        paysvc_d;\n} PAYSVC_0.2;\n"
        );
    }
}
